// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/common_words.hpp"

#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/simd.hpp"
#include "looptree/dataset/word_stream.hpp"
#include "looptree/histogram/l1_query.hpp"
#include "looptree/histogram/scores.hpp"
#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/pooled_index.hpp"

#include "tests/index/random_route.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::RandomRoute;

void expect_same(const CommonWords& found, const CommonWords& expected) {
  EXPECT_EQ(found.most, expected.most);
  EXPECT_EQ(found.sharing, expected.sharing);
  ASSERT_EQ(found.frames.size(), expected.frames.size());
  for (std::size_t i = 0; i < found.frames.size(); ++i) {
    EXPECT_TRUE(found.frames[i] == expected.frames[i])
        << "place " << i << ": frame " << found.frames[i].frame.value << " with "
        << found.frames[i].common << " words, expected frame " << expected.frames[i].frame.value
        << " with " << expected.frames[i].common;
  }
}

std::vector<CommonWordsOptions> questions() {
  std::vector<CommonWordsOptions> asked(9);
  asked[1].fraction = 0;
  asked[2].fraction = 1;
  asked[3].filter.accept = [](FrameId frame) { return frame.value % 5 != 0; };
  asked[4].filter.accept = [](FrameId frame) { return frame.value < 40; };
  asked[4].count_sharing = true;
  asked[5].filter = {.exclude_recent = 30, .first = FrameId{20}};
  asked[5].scores = false;
  asked[6].filter.sessions = {{SessionId{1}}};
  asked[6].fraction = 0.3f;
  asked[7].min_words = 3;
  asked[7].fraction = 0.1f;
  asked[8].filter.accept = [](FrameId) { return false; };
  return asked;
}

TEST(CommonWords, EqualTheOracleOnRandomRoutes) {
  for (const std::uint32_t vocabulary : {30u, 2000u, 200'000u}) {
    RandomRoute route(vocabulary, vocabulary);
    PooledIndex index({vocabulary, Topology::parse("d2b4-max"), route.idf()});
    ExhaustiveIndex oracle(vocabulary);
    for (std::uint32_t i = 0; i < 1300; ++i) {
      const Histogram frame = route.next();
      index.insert(frame, {SessionId{i % 3}});
      oracle.insert(frame, {SessionId{i % 3}});
      if (i % 7 == 3) {
        const FrameId gone{static_cast<std::uint32_t>(route.random().below(i))};
        EXPECT_EQ(index.erase(gone), oracle.erase(gone));
      }
      if (i % 60 != 11) continue;
      const Histogram query = route.next();
      for (const CommonWordsOptions& options : questions()) {
        expect_same(index.common_words(query, options), oracle.common_words(query, options));
      }
    }
  }
}

TEST(CommonWords, EqualTheOracleWithRowsAtEverySimdLevel) {
  WordStreamOptions made;
  made.vocabulary_size = 10'000;
  made.new_frames = 300;
  made.revisit_frames = 60;
  const WordStream words(made);
  const auto frame = [&](std::uint64_t i) {
    return make_histogram(words.frame(i), words.word_weights());
  };
  PooledIndex index({made.vocabulary_size});
  ExhaustiveIndex oracle(made.vocabulary_size);
  for (std::uint32_t i = 0; i < 1200; ++i) {
    index.insert(frame(i), {SessionId{i % 3}});
    oracle.insert(frame(i), {SessionId{i % 3}});
  }
  for (std::uint32_t i = 100; i < 500; i += 3) {
    index.erase(FrameId{i});
    oracle.erase(FrameId{i});
  }
  for (const std::string& level : simd_levels()) {
    SCOPED_TRACE(level);
    force_simd_level(level);
    for (const std::uint64_t query : {5u, 300u, 777u, 1300u}) {
      for (const CommonWordsOptions& options : questions()) {
        expect_same(index.common_words(frame(query), options),
                    oracle.common_words(frame(query), options));
      }
    }
  }
  force_simd_level("");
}

TEST(CommonWords, ManyWordsNeedSeveralPlans) {
  constexpr std::uint32_t kWords = 70'000;
  std::vector<WordId> all;
  for (std::uint32_t word = 0; word < 30'000; ++word) all.emplace_back(word * 2);
  const std::vector<float> weights(kWords, 1.0f);
  PooledIndex index({kWords});
  ExhaustiveIndex oracle(kWords);
  for (std::uint32_t i = 0; i < 600; ++i) {
    const std::span<const WordId> part = std::span(all).subspan(std::size_t{i} * 20, 12'000 + i);
    const Histogram histogram = make_histogram(part, weights);
    index.insert(histogram);
    oracle.insert(histogram);
  }
  const Histogram query = make_histogram(all, weights);
  CommonWordsOptions options;
  options.fraction = 0.99f;
  expect_same(index.common_words(query, options), oracle.common_words(query, options));

  std::vector<WordId> more;
  for (std::uint32_t word = 0; word < 66'000; ++word) more.emplace_back(word);
  test::expect_error(ErrorKind::unsupported, "65535",
                     [&] { index.common_words(make_histogram(more, weights)); });
}

TEST(CommonWords, AsksOnlyAboutFramesNearTheTop) {
  RandomRoute route(4, 500);
  PooledIndex index({500});
  for (const Histogram& frame : route.take(400)) index.insert(frame);
  std::size_t asked = 0;
  CommonWordsOptions options;
  options.filter.accept = [&](FrameId frame) {
    ++asked;
    return frame.value % 2 == 0;
  };
  const CommonWords found = index.common_words(route.next(), options);
  EXPECT_GT(found.most, 0u);
  EXPECT_LT(asked, 200u);
}

TEST(CommonWords, RefuseWhatAQueryRefuses) {
  PooledIndex index({10});
  const Histogram one({WordId{3}}, {1.0});
  EXPECT_TRUE(index.common_words(one).frames.empty());
  CommonWordsOptions options;
  options.fraction = 1.5f;
  test::expect_error(ErrorKind::invalid_argument, "from 0 to 1",
                     [&] { index.common_words(one, options); });
  test::expect_error(ErrorKind::invalid_argument, "at least one word",
                     [&] { index.common_words(Histogram()); });
}

TEST(L1Query, GivesThePairwiseScoreToTheBit) {
  for (const std::uint32_t vocabulary : {30u, 5000u}) {
    RandomRoute route(vocabulary + 1, vocabulary);
    const std::vector<Histogram> frames = route.take(200);
    for (std::size_t i = 0; i < 20; ++i) {
      const L1Query query(frames[i]);
      for (const Histogram& other : frames) {
        EXPECT_EQ(query.score(other), score(Score::l1, frames[i], other));
      }
      EXPECT_EQ(query.score(Histogram()), 0);
    }
    static_assert(!std::is_constructible_v<L1Query, Histogram>, "a temporary would be gone");
    const Histogram none;
    EXPECT_EQ(L1Query(none).score(frames[0]), 0);
  }
}

}  // namespace
}  // namespace looptree
