// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Frames are arranged anew a few at a time, while others come and go: no answer may show it.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/dataset/word_stream.hpp"
#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/frames/frame_layer.hpp"
#include "looptree/index/pooled_index.hpp"
#include "looptree/index/snapshot.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

constexpr std::uint32_t kWords = 400;

class Repacking : public testing::Test {
 protected:
  static WordStreamOptions options() {
    WordStreamOptions options;
    options.vocabulary_size = kWords;
    options.new_frames = 150;
    options.revisit_frames = 50;
    return options;
  }
  Histogram frame(std::uint64_t i) const {
    return make_histogram(stream.frame(i), stream.word_weights());
  }
  void insert(std::uint32_t i) {
    index->insert(frame(i));
    oracle.insert(frame(i));
  }
  void erase(std::uint32_t i) { ASSERT_EQ(index->erase(FrameId{i}), oracle.erase(FrameId{i})); }
  void expect_same(std::uint64_t probe) const {
    const QueryOptions options = {.top_k = 10};
    ASSERT_EQ(index->query(frame(probe), options).matches,
              oracle.query(frame(probe), options).matches)
        << "with " << index->next_id().value << " frames";
  }

  WordStream stream{options()};
  std::shared_ptr<PooledIndex> index = std::make_shared<PooledIndex>(IndexOptions{kWords});
  ExhaustiveIndex oracle{kWords};
};

TEST_F(Repacking, AnswersWhileTheFirstRowsAreMade) {
  Random random(1);
  for (std::uint32_t i = 0; i < 640; ++i) {
    insert(i);
    if (i < 500) continue;
    if (i % 3 == 0) erase(static_cast<std::uint32_t>(random.below(i + 1)));
    if (i % 7 == 0) erase(i);  // the newest
    expect_same(i * 5);
  }
}

TEST_F(Repacking, AnswersWhileErasedFramesAreLeftBehind) {
  for (std::uint32_t i = 0; i < 1100; ++i) insert(i);
  for (std::uint32_t i = 0; i < 1090; ++i) {
    erase(i * 7 % 1100);
    if (i % 2 == 0) insert(1100 + i / 2);
    if (i % 11 == 0) expect_same(i * 3);
  }
  expect_same(5);
}

TEST_F(Repacking, ASnapshotInTheMiddleOpensToTheSameIndex) {
  const test::TemporaryFolder folder;
  for (std::uint32_t i = 0; i < 530; ++i) insert(i);
  ASSERT_TRUE(IndexSnapshot(index).write(folder / "s", {}));
  IndexSnapshot overtaken(index);
  index = std::make_shared<PooledIndex>(open_snapshot(folder / "s", index->options()));
  for (std::uint32_t i = 530; i < 700; ++i) {
    insert(i);
    expect_same(i);
  }
  EXPECT_TRUE(overtaken.write(folder / "t", {}));  // of the index that was left as it was
}

TEST_F(Repacking, ASnapshotThatIsOvertakenIsDropped) {
  const test::TemporaryFolder folder;
  for (std::uint32_t i = 0; i < 530; ++i) insert(i);
  IndexSnapshot overtaken(index);
  for (std::uint32_t i = 530; i < 700; ++i) insert(i);
  EXPECT_FALSE(overtaken.write(folder / "s", {}));
}

/// Counted in frames, not in time: the most that one insertion arranges.
TEST_F(Repacking, NoInsertionArrangesMany) {
  const std::vector<double> weights(stream.word_weights().begin(), stream.word_weights().end());
  const detail::IdfTable idf(weights, kWords);
  detail::FrameLayer layer(idf);
  std::size_t changed = 0;
  for (std::uint32_t i = 0; i < 700; ++i) {
    detail::PreparedFrame prepared(FixedHistogram(frame(i), kWords), idf);
    const bool arranged = layer.append(i, prepared);
    changed += arranged ? 1 : 0;
    // 512 frames wait for rows; eight are copied with each that comes.
    EXPECT_EQ(arranged, i == 583) << i;  // the first i with 8 (i - 510) > i
  }
  EXPECT_EQ(changed, 1u);
  EXPECT_GT(layer.segments()[0]->layout()->rows(), 0u);
}

TEST_F(Repacking, WhatIsTakenOutAgainIsForgottenByTheCopyToo) {
  const std::vector<double> weights(stream.word_weights().begin(), stream.word_weights().end());
  const detail::IdfTable idf(weights, kWords);
  detail::FrameLayer layer(idf);
  for (std::uint32_t i = 0; i < 700; ++i) {
    const auto append = [&](std::uint64_t words) {
      detail::PreparedFrame prepared(FixedHistogram(frame(words), kWords), idf);
      layer.append(i, prepared);
      return prepared.words;
    };
    if (i > 500) layer.pop(append(i + 10000));
    const FixedHistogram words = append(i);
    ASSERT_EQ(layer.words(i), words) << i;
  }
  EXPECT_EQ(layer.size(), 700u);
  for (std::uint32_t i = 0; i < 700; ++i) {
    ASSERT_EQ(layer.words(i), FixedHistogram(frame(i), kWords)) << i;
  }
}

}  // namespace
}  // namespace looptree
