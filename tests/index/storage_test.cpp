// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The encodings inside the index (rows of bits, lists, both) against the oracle, at every SIMD
// level, on maps large enough to use them and on cases made to break them.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/simd.hpp"
#include "looptree/dataset/word_stream.hpp"
#include "looptree/histogram/scores.hpp"
#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/pooled_index.hpp"

#include "tests/index/paper_search.hpp"
#include "tests/index/random_route.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

/// A drive of 1500 frames through a vocabulary, and whether the index is told the words' weights.
struct Drive {
  std::string name;
  std::uint32_t words;
  double landmarks;
  double zipf;
  bool told_weights;
};

std::ostream& operator<<(std::ostream& out, const Drive& drive) {
  return out << drive.name;
}

class Storage : public testing::TestWithParam<Drive> {
 protected:
  void TearDown() override { force_simd_level(""); }

  static WordStream stream(const Drive& drive) {
    WordStreamOptions options;
    options.vocabulary_size = drive.words;
    options.landmarks = drive.landmarks;
    options.zipf = drive.zipf;
    options.new_frames = 300;
    options.revisit_frames = 60;
    options.variation = 0.4;
    return WordStream(options);
  }
};

TEST_P(Storage, EqualsTheOracleAtEveryLevel) {
  const Drive& drive = GetParam();
  const WordStream words = stream(drive);
  std::vector<double> weights;
  if (drive.told_weights) weights.assign(words.word_weights().begin(), words.word_weights().end());
  PooledIndex index({drive.words, {}, weights});
  ExhaustiveIndex oracle(drive.words);
  const auto frame = [&](std::uint64_t i) {
    return make_histogram(words.frame(i), words.word_weights());
  };
  constexpr std::uint32_t kFrames = 1500;
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    index.insert(frame(i), {SessionId{i % 3}});
    oracle.insert(frame(i), {SessionId{i % 3}});
  }
  for (std::uint32_t i = 100; i < 700; i += 1 + i % 3) {
    ASSERT_TRUE(index.erase(FrameId{i}));
    oracle.erase(FrameId{i});
  }
  const std::vector<QueryOptions> asked = {
      {.top_k = 1},
      {.top_k = 10},
      {.top_k = 40, .filter = {.sessions = {{SessionId{1}}}}},
      {.top_k = 5, .filter = {.accept = [](FrameId f) { return f.value % 97 == 0; }}},
      {.top_k = QueryOptions::kUnlimited, .threshold = 0.15},
      {.top_k = QueryOptions::kUnlimited, .threshold = 0.02, .filter = {200, FrameId{130}}},
      {.top_k = 3, .threshold = 0.1, .filter = {.first = FrameId{777}, .last = FrameId{1025}}},
      {.top_k = QueryOptions::kUnlimited}};
  for (const std::string& level : simd_levels()) {
    SCOPED_TRACE(level);
    force_simd_level(level);
    for (std::uint64_t i = 1; i < 2000; i += 211) {
      const Histogram query = frame(i);
      for (std::size_t o = 0; o < asked.size(); ++o) {
        QueryOptions options = asked[o];
        ASSERT_EQ(index.query(query, options).matches, oracle.query(query, options).matches)
            << "frame " << i << " options " << o;
        options.threads = 2;
        ASSERT_EQ(index.query(query, options).matches, oracle.query(query, options).matches)
            << "frame " << i << " options " << o << " on two threads";
      }
    }
  }
}

/// Pooled nodes in rows and lists: exact pooling against the oracle, lossy against the paper's
/// search.
TEST_P(Storage, PooledNodesAreSearchedAlikeAtEveryLevel) {
  const Drive& drive = GetParam();
  const WordStream words = stream(drive);
  const auto frame = [&](std::uint64_t i) {
    return make_histogram(words.frame(i), words.word_weights());
  };
  constexpr std::uint32_t kFrames = 450;
  for (const std::string name : {"d2b4-max", "d3b3-sum", "d2b5-mean"}) {
    SCOPED_TRACE(name);
    const Topology topology = Topology::parse(name);
    PooledIndex index({drive.words, topology, {}});
    test::PaperSearch paper(topology);
    for (std::uint32_t i = 0; i < kFrames; ++i) {
      index.insert(frame(i));
      paper.insert(frame(i));
    }
    const std::vector<QueryOptions> asked = {
        {.top_k = QueryOptions::kUnlimited, .threshold = 0.1},
        {.top_k = QueryOptions::kUnlimited, .threshold = 0.3, .slack = 0.8},
        {.top_k = 8, .beam = 5}};
    for (std::uint64_t i = 1; i < 600; i += 119) {
      for (const QueryOptions& options : asked) {
        const std::vector<Match> right = paper.query(frame(i), options);
        for (const std::string& level : simd_levels()) {
          force_simd_level(level);
          ASSERT_EQ(index.query(frame(i), options).matches, right) << level << ", frame " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Drives, Storage,
                         testing::Values(Drive{"AllRows", 300, 60, 0.2, true},
                                         Drive{"AllRowsWeightsUnknown", 300, 60, 0.2, false},
                                         Drive{"RowsAndLists", 4000, 120, 0.6, true},
                                         Drive{"RowsAndListsWeightsUnknown", 4000, 120, 0.6, false},
                                         Drive{"AllLists", 100000, 100, 0.3, true}),
                         [](const auto& drive_of) { return drive_of.param.name; });

/// Frames that strain counters, units and bounds, in blocks full and partly filled.
class Hard : public testing::Test {
 protected:
  static constexpr std::uint32_t kWords = 64;

  void TearDown() override { force_simd_level(""); }

  /// Compares at every level, with thresholds at a score, one unit above and one below.
  static void expect_equal(const std::vector<Histogram>& frames,
                           const std::vector<Histogram>& queries,
                           const std::vector<double>& weights, std::uint32_t vocabulary = kWords) {
    PooledIndex index({vocabulary, {}, weights});
    ExhaustiveIndex oracle(vocabulary);
    for (const Histogram& frame : frames) {
      index.insert(frame);
      oracle.insert(frame);
    }
    for (const std::string& level : simd_levels()) {
      force_simd_level(level);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const double score = intersection(queries[i], frames[(i * 37) % frames.size()]);
        for (const double threshold : {score, score + 0x1p-31, score - 0x1p-31, 0.0}) {
          QueryOptions options = {.top_k = 7, .threshold = std::min(1.0, std::max(0.0, threshold))};
          ASSERT_EQ(index.query(queries[i], options).matches,
                    oracle.query(queries[i], options).matches)
              << level << ", query " << i << ", threshold " << threshold;
          options.top_k = QueryOptions::kUnlimited;
          ASSERT_EQ(index.query(queries[i], options).matches,
                    oracle.query(queries[i], options).matches)
              << level << ", query " << i << ", threshold " << threshold;
        }
      }
    }
  }

  static std::vector<double> weights(Random& random, std::uint32_t vocabulary = kWords) {
    std::vector<double> result;
    for (std::uint32_t i = 0; i < vocabulary; ++i) {
      result.push_back(0.05 + 7 * random.uniform());
    }
    return result;
  }

  /// Frames whose words occur up to `most` times each.
  static std::vector<Histogram> images(Random& random, const std::vector<double>& idf,
                                       std::size_t count, std::size_t most_words,
                                       std::size_t most_times) {
    std::vector<Histogram> result;
    while (result.size() < count) {
      std::vector<WordId> image;
      const std::size_t words = 1 + random.below(most_words);
      for (std::size_t w = 0; w < words; ++w) {
        const auto word = static_cast<std::uint32_t>(random.below(idf.size()));
        const std::size_t times = random.below(3) == 0 ? 1 + random.below(most_times) : 1;
        image.insert(image.end(), times, WordId{word});
      }
      result.push_back(make_histogram(image, idf));
    }
    return result;
  }
};

TEST_F(Hard, TermFrequenciesInTheThousands) {
  Random random(1);
  const std::vector<double> idf = weights(random);
  const std::vector<Histogram> frames = images(random, idf, 700, 30, 5000);
  expect_equal(frames, images(random, idf, 20, 30, 5000), idf);
}

TEST_F(Hard, ManyFramesThatRepeatWordsLessOftenThanTheQuery) {
  Random random(6);
  const std::vector<double> idf = weights(random);
  const std::vector<Histogram> frames = images(random, idf, 1200, 60, 4);
  expect_equal(frames, images(random, idf, 20, 60, 40), idf);
}

TEST_F(Hard, OneWordImagesAmongLargeOnes) {
  Random random(2);
  const std::vector<double> idf = weights(random);
  std::vector<Histogram> frames = images(random, idf, 600, 60, 3);
  const std::vector<Histogram> single = images(random, idf, 100, 1, 1);
  frames.insert(frames.begin() + 300, single.begin(), single.end());
  std::vector<Histogram> queries = images(random, idf, 10, 60, 3);
  queries.insert(queries.end(), single.begin(), single.begin() + 10);
  expect_equal(frames, queries, idf);
}

TEST_F(Hard, WeightsThatAreNoOccurrences) {
  Random random(3);
  std::vector<Histogram> frames;
  for (int i = 0; i < 800; ++i) {
    std::vector<WordId> seen;
    std::vector<double> values;
    for (std::uint32_t word = 0; word < kWords; ++word) {
      if (random.below(3) != 0) continue;
      seen.emplace_back(word);
      values.push_back(std::pow(10.0, -9 * random.uniform()));
    }
    if (seen.empty()) continue;
    frames.push_back(Histogram(seen, values).normalized());
  }
  Random other(4);
  expect_equal(frames, {frames.begin(), frames.begin() + 20}, weights(other));
  expect_equal(frames, {frames.begin(), frames.begin() + 20}, {});
}

TEST_F(Hard, CountsAtTheEdgeOfTheirWidth) {
  // Every word in every frame: all rows full, every count at its largest. 9000 rows exceed a plan.
  constexpr std::uint32_t kMany = 9000;
  Random random(5);
  const std::vector<double> idf = weights(random, kMany);
  std::vector<Histogram> frames;
  for (int i = 0; i < 520; ++i) {
    std::vector<WordId> image;
    for (std::uint32_t word = 0; word < kMany; ++word) {
      if (i % 2 == 0 || random.below(20) != 0) image.emplace_back(word);
      if (word % 7 == 0) image.emplace_back(word);
    }
    frames.push_back(make_histogram(image, idf));
  }
  expect_equal(frames, {frames.begin(), frames.begin() + 2}, idf, kMany);
}

TEST_F(Hard, BlocksFullAndPartlyFilled) {
  for (const std::size_t count : {511, 512, 513, 1023, 1024, 1025}) {
    Random random(count);
    const std::vector<double> idf = weights(random);
    const std::vector<Histogram> frames = images(random, idf, count, 20, 3);
    expect_equal(frames, images(random, idf, 4, 20, 3), idf);
  }
}

TEST(Threads, DoNotChangeAnswersOfLargeMaps) {
  test::RandomRoute route(12, 400);
  for (const char* name : {"d1", "d2b4-max", "d2b8-mean"}) {
    PooledIndex index({400, Topology::parse(name)});
    const std::vector<Histogram> frames = route.take(500);
    for (std::uint32_t i = 0; i < 20000; ++i) index.insert(frames[(i * i) % 500]);
    for (const Histogram& query : route.take(4)) {
      for (const QueryOptions& asked : {QueryOptions{.top_k = 25}, QueryOptions{.threshold = 0.1},
                                        QueryOptions{.top_k = 5, .beam = 10}}) {
        QueryOptions options = asked;
        const std::vector<Match> alone = index.query(query, options).matches;
        for (const std::size_t threads : {0, 2, 3, 4}) {
          options.threads = threads;
          EXPECT_EQ(index.query(query, options).matches, alone) << name << ", " << threads;
        }
      }
    }
  }
}

/// A map that forgets its oldest frames for ever: a million of them leave nothing behind.
TEST(Reuse, AMillionFramesComeAndGo) {
  test::RandomRoute route(11, 200);
  const std::vector<Histogram> frames = route.take(300);
  PooledIndex index({200, {}});
  ExhaustiveIndex oracle(200);
  constexpr std::uint32_t kKept = 600;
  constexpr std::uint32_t kFrames = 1'000'000;
  std::size_t settled = 0;
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    index.insert(frames[i % 300]);
    if (i >= kKept) {
      ASSERT_TRUE(index.erase(FrameId{i - kKept}));
    }
    if (i < 20'000 && i % 100 == 99) settled = std::max(settled, index.memory().bytes);
  }
  EXPECT_EQ(index.size(), kKept);
  EXPECT_LE(index.memory().bytes, settled + 8 * kFrames / 1024 + 4096);
  for (std::uint32_t i = 0; i < kKept; ++i) oracle.insert(frames[(kFrames - kKept + i) % 300]);
  for (const Histogram& query : route.take(20)) {
    std::vector<Match> expected = oracle.query(query).matches;
    for (Match& match : expected) match.frame.value += kFrames - kKept;
    EXPECT_EQ(index.query(query).matches, expected);
  }
}

TEST(Reuse, RandomErasuresReclaimSpace) {
  for (const char* name : {"d1", "d2b4-max", "d3b4-mean"}) {
    test::RandomRoute route(13, 200);
    PooledIndex index({200, Topology::parse(name)});
    const std::vector<Histogram> frames = route.take(8000);
    index.insert(frames);
    const std::size_t full = index.memory().bytes;
    for (std::uint32_t i = 0; i < 8000; ++i) {
      if (i % 16 != 5) index.erase(FrameId{i});
    }
    EXPECT_EQ(index.size(), 500u);
    EXPECT_LT(index.memory().bytes, full / 3) << name;
  }
}

}  // namespace
}  // namespace looptree
