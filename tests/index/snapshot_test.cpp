// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// An index that went through a snapshot is the index it was, to the bit, and stays so.
#include "looptree/index/snapshot.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/dataset/word_stream.hpp"

#include "tests/fuzz/snapshot_target.hpp"
#include "tests/index/random_route.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::TemporaryFolder;

/// What an index is made of, and how it is changed: mostly inserts, some erasures.
struct Case {
  std::string name;
  std::uint32_t words = 0;
  std::string topology;
  bool told_weights = false;
  std::uint32_t erase_one_in = 0;  ///< 0: nothing is erased
};

std::ostream& operator<<(std::ostream& out, const Case& value) {
  return out << value.name;
}

class Snapshot : public testing::TestWithParam<Case> {
 protected:
  Snapshot()
      : stream_(options()),
        weights_(stream_.word_weights().begin(), stream_.word_weights().end()) {}

  static WordStreamOptions options() {
    WordStreamOptions options;
    options.vocabulary_size = GetParam().words;
    options.new_frames = 200;
    options.revisit_frames = 50;
    return options;
  }
  IndexOptions index_options() const {
    IndexOptions result{GetParam().words, Topology::parse(GetParam().topology), {}};
    if (GetParam().told_weights) result.word_weights = weights_;
    return result;
  }
  Histogram frame(std::uint64_t i) const { return make_histogram(stream_.frame(i), weights_); }
  /// The same steps for every index.
  void grow(PooledIndex& index, std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t i = first; i < last; ++i) {
      index.insert(frame(i), {.session = SessionId{i / 100}});
      Random random(i);
      if (GetParam().erase_one_in != 0 && random.below(GetParam().erase_one_in) == 0) {
        index.erase(FrameId{static_cast<std::uint32_t>(random.below(i + 1))});
      }
      if (i % 97 == 0) index.leave_vacant(1 + i % 3);
    }
  }
  void expect_same(const PooledIndex& found, const PooledIndex& right) const {
    ASSERT_EQ(found.next_id(), right.next_id());
    ASSERT_EQ(found.size(), right.size());
    for (std::uint32_t id = 0; id < right.next_id().value; ++id) {
      ASSERT_EQ(found.histogram(FrameId{id}), right.histogram(FrameId{id})) << "frame " << id;
      ASSERT_EQ(found.session(FrameId{id}), right.session(FrameId{id})) << "frame " << id;
    }
    for (std::uint64_t probe = 0; probe < 12; ++probe) {
      for (const double threshold : {0.0, 0.15}) {
        const QueryOptions options = {.top_k = 20, .threshold = threshold};
        const QueryResult a = found.query(frame(probe * 31), options);
        const QueryResult b = right.query(frame(probe * 31), options);
        ASSERT_EQ(a.matches, b.matches);
        ASSERT_EQ(a.layers, b.layers);
      }
    }
  }

  WordStream stream_;
  std::vector<double> weights_;
  TemporaryFolder folder;
  std::filesystem::path path = folder / "index.snapshot";
};

const std::vector<std::byte> kTag = {std::byte{7}, std::byte{8}};

TEST_P(Snapshot, OpensToTheSameIndexAndGoesOn) {
  auto index = std::make_shared<PooledIndex>(index_options());
  PooledIndex right(index_options());
  std::uint32_t next = 0;
  for (const std::uint32_t quantum : {1u, 300u, 511u, 1u, 400u}) {
    grow(*index, next, next + quantum);
    grow(right, next, next + quantum);
    next += quantum;
    const std::size_t bytes = index->memory().bytes;
    ASSERT_TRUE(IndexSnapshot(index).write(path, kTag));
    EXPECT_EQ(snapshot_tag(path), kTag);
    index = std::make_shared<PooledIndex>(open_snapshot(path, index_options()));
    expect_same(*index, right);
    // Rows and lists have kept the rest of a huge page each to grow into, and what they will need
    // next may be at hand, in either index; none of it is written.
    constexpr std::size_t kAtHand = 8 * (std::size_t{2} << 20);
    EXPECT_LE(index->memory().bytes, bytes + bytes / 100 + kAtHand);
    EXPECT_GE(index->memory().bytes + kAtHand, bytes);
    EXPECT_GE(index->memory().bytes, std::filesystem::file_size(path));
  }
}

TEST_P(Snapshot, IsTheStateItWasTakenOf) {
  auto index = std::make_shared<PooledIndex>(index_options());
  grow(*index, 0, 600);
  PooledIndex right(index_options());
  grow(right, 0, 600);
  IndexSnapshot snapshot(index);
  for (std::uint32_t i = 600; i < 900; ++i) index->insert(frame(i));
  ASSERT_TRUE(snapshot.write(path, kTag));
  expect_same(open_snapshot(path, index_options(), 1), right);
}

TEST_P(Snapshot, EveryDamageIsFound) {
  const auto index = std::make_shared<PooledIndex>(index_options());
  grow(*index, 0, 40);
  ASSERT_TRUE(IndexSnapshot(index).write(path, kTag));
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    std::string damaged = bytes;
    const std::size_t at = i < 50 ? random.below(4096) : random.below(bytes.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_THROW(open_snapshot(path, index_options()), Error) << "byte " << at;
    std::ofstream(path, std::ios::binary) << bytes.substr(0, at);
    EXPECT_THROW(open_snapshot(path, index_options()), Error) << "cut at " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Snapshot,
                         testing::Values(Case{"Rows", 500, "d1", true, 0},
                                         Case{"RowsErased", 500, "d1", true, 3},
                                         Case{"RowsUntold", 500, "d1", false, 5},
                                         Case{"Lists", 200000, "d1", true, 0},
                                         Case{"ListsErased", 200000, "d1", false, 4},
                                         Case{"Pooled", 500, "d2b8-max", true, 0},
                                         Case{"PooledMean", 2000, "d3b4-mean", true, 0}),
                         [](const auto& one) { return one.param.name; });

TEST(IndexSnapshot, RefusesWhatItCannotKeep) {
  const TemporaryFolder folder;
  const auto path = folder / "index.snapshot";
  const auto index = std::make_shared<PooledIndex>(IndexOptions{10, Topology::parse("d2b4-mean")});
  test::RandomRoute route(1, 10);
  for (int i = 0; i < 8; ++i) index->insert(route.next());
  IndexSnapshot before(index);
  index->erase(FrameId{1});
  // One of four: its node still pools what it gave, which nobody could tell from the frames.
  EXPECT_FALSE(IndexSnapshot(index).write(path, {}));
  EXPECT_FALSE(std::filesystem::exists(path));
  index->erase(FrameId{2});  // half of them: pooled anew
  EXPECT_TRUE(IndexSnapshot(index).write(path, {}));
  EXPECT_EQ(open_snapshot(path, index->options()).size(), 6u);
  expect_error(ErrorKind::invalid_argument, "weights",
               [&] { open_snapshot(path, IndexOptions{11}); });
  expect_error(ErrorKind::invalid_argument, "2048",
               [&] { IndexSnapshot(index).write(path, std::vector<std::byte>(2049)); });
  expect_error(ErrorKind::not_found, "no file", [&] { snapshot_tag(folder / "none"); });
  expect_error(ErrorKind::io, "write", [&] { IndexSnapshot(index).write(folder / "no/x", {}); });
}

/// The checksums say nothing about a file that was made to deceive, or by a program with a mistake.
TEST(IndexSnapshot, WrongBytesUnderRightChecksumsNeverLeaveTheFile) {
  const TemporaryFolder folder;
  const auto index = std::make_shared<PooledIndex>(test::snapshot_options());
  test::RandomRoute route(3, 40);
  std::size_t opened = 0;
  for (const int frames : {5, 515}) {
    for (int i = 0; i < frames; ++i) index->insert(route.next());
    ASSERT_TRUE(IndexSnapshot(index).write(folder / "sound", {}));
    const std::vector<std::uint8_t> sound = test::snapshot_input(folder / "sound");
    if (const char* corpus = std::getenv("LOOPTREE_WRITE_CORPUS")) {
      std::ofstream(std::string(corpus) + "/frames" + std::to_string(frames), std::ios::binary)
          .write(reinterpret_cast<const char*>(sound.data()),
                 static_cast<std::streamsize>(sound.size()));
    }
    ASSERT_TRUE(test::try_snapshot(sound, folder / "wrong"));
    Random random(frames);
    for (int trial = 0; trial < 400; ++trial) {
      std::vector<std::uint8_t> wrong = sound;
      for (std::size_t changes = 1 + random.below(3); changes > 0; --changes) {
        const std::size_t at = random.below(trial % 2 == 0 ? 1000 : wrong.size());
        wrong[at] = static_cast<std::uint8_t>(random.below(4) == 0 ? 0xFF : random.below(256));
      }
      opened += test::try_snapshot(wrong, folder / "wrong") ? 1 : 0;
    }
  }
  EXPECT_LT(opened, 800u);
}

TEST(IndexSnapshot, AnEmptyIndexHasOneToo) {
  const TemporaryFolder folder;
  const auto index = std::make_shared<PooledIndex>(IndexOptions{10});
  ASSERT_TRUE(IndexSnapshot(index).write(folder / "s", {}));
  PooledIndex opened = open_snapshot(folder / "s", index->options());
  EXPECT_EQ(opened.insert(Histogram{{WordId{1}}, {1.0}}), FrameId{0});
}

TEST(IndexSnapshot, LetsChangesInWhileItIsWritten) {
  const TemporaryFolder folder;
  const auto index = std::make_shared<PooledIndex>(IndexOptions{50});
  test::RandomRoute route(1, 50);
  std::vector<Histogram> frames;
  for (int i = 0; i < 500; ++i) frames.push_back(route.next());
  for (int i = 0; i < 140; ++i) index->insert(frames, {.threads = 2});  // beyond a segment
  IndexSnapshot snapshot(index);
  std::thread inserting([&] {
    for (const Histogram& frame : frames) index->insert(frame);
  });
  EXPECT_TRUE(snapshot.write(folder / "s", {}));
  inserting.join();
  const PooledIndex opened = open_snapshot(folder / "s", index->options());
  EXPECT_EQ(opened.size(), 70000u);
  const Filter then{.last = FrameId{70000}};
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(opened.query(frames[i]).matches, index->query(frames[i], {.filter = then}).matches);
  }
  IndexSnapshot late(index);
  index->erase(FrameId{3});
  EXPECT_FALSE(late.write(folder / "late", {}));
  EXPECT_FALSE(std::filesystem::exists(folder / "late"));
  EXPECT_FALSE(std::filesystem::exists(folder / "late.new"));
}

}  // namespace
}  // namespace looptree
