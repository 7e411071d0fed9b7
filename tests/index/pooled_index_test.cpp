// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/pooled_index.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/histogram/scores.hpp"
#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/grouping.hpp"

#include "tests/index/paper_search.hpp"
#include "tests/index/random_route.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::PaperSearch;
using test::RandomRoute;

constexpr std::uint32_t kWords = 120;

std::string topology_name(const testing::TestParamInfo<std::string>& topology) {
  std::string name = topology.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// A query of every kind: threshold, top-k, both, and each filter, some at the very score of a
/// frame.
QueryOptions random_options(Random& random, const std::vector<Histogram>& frames,
                            const Histogram& query) {
  QueryOptions options;
  options.top_k = random.below(3) == 0 ? QueryOptions::kUnlimited : 1 + random.below(12);
  if (random.below(2) == 0) options.threshold = 0.4 * random.uniform();
  if (random.below(4) == 0) {
    options.threshold = intersection(query, frames[random.below(frames.size())]);
  }
  if (random.below(4) == 0) {
    options.filter.exclude_recent = static_cast<std::uint32_t>(random.below(frames.size() + 5));
  }
  if (random.below(5) == 0) {
    options.filter.first = FrameId{static_cast<std::uint32_t>(random.below(frames.size()))};
    options.filter.last = FrameId{static_cast<std::uint32_t>(random.below(frames.size() + 5))};
  }
  if (random.below(5) == 0) {
    options.filter.sessions = {SessionId{static_cast<std::uint32_t>(random.below(3))}};
  }
  if (random.below(5) == 0) {
    const auto modulus = static_cast<std::uint32_t>(2 + random.below(3));
    options.filter.accept = [modulus](FrameId frame) { return frame.value % modulus != 0; };
  }
  options.threads = random.below(3);
  return options;
}

/// The same frames in an index and in the oracle, changed alike.
struct Pair {
  explicit Pair(const Topology& topology) : index({kWords, topology}), oracle(kWords) {}

  void insert(const Histogram& histogram, SessionId session) {
    ASSERT_EQ(index.insert(histogram, {session}), oracle.insert(histogram, {session}));
    inserted.push_back(histogram);
  }
  void erase(FrameId frame) { ASSERT_EQ(index.erase(frame), oracle.erase(frame)); }
  void clear() {
    index.clear();
    oracle.clear();
    inserted.clear();
  }

  PooledIndex index;
  ExhaustiveIndex oracle;
  std::vector<Histogram> inserted;
};

class Exact : public testing::TestWithParam<std::string> {};

TEST_P(Exact, EqualsTheOracleWhateverIsInsertedErasedAndAsked) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRoute route(seed, kWords);
    Random& random = route.random();
    Pair pair(Topology::parse(GetParam()));
    for (int quantum = 0; quantum < 400; ++quantum) {
      const std::uint64_t what = random.below(100);
      if (pair.inserted.empty() || what < 55) {
        pair.insert(route.next(), SessionId{static_cast<std::uint32_t>(random.below(3))});
      } else if (what < 70) {
        pair.erase(FrameId{static_cast<std::uint32_t>(random.below(pair.inserted.size() + 2))});
      } else if (what == 70) {
        pair.clear();
      } else {
        const Histogram query =
            random.below(2) == 0 ? route.next() : pair.inserted[random.below(pair.inserted.size())];
        const QueryOptions options = random_options(random, pair.inserted, query);
        ASSERT_EQ(pair.index.query(query, options).matches,
                  pair.oracle.query(query, options).matches);
      }
      ASSERT_EQ(pair.index.size(), pair.oracle.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Topologies, Exact,
                         testing::Values("d1", "d2b2-max", "d2b16-max", "d2b4-sum", "d3b3-max",
                                         "d3b8-sum", "d5b2-max", "d32b2-sum"),
                         topology_name);

class Greedy : public testing::TestWithParam<std::string> {};

TEST_P(Greedy, EqualsThePapersSearch) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRoute route(seed, kWords);
    Random& random = route.random();
    const Topology topology = Topology::parse(GetParam());
    PooledIndex index({kWords, topology});
    PaperSearch paper(topology);
    std::vector<Histogram> inserted;
    for (int quantum = 0; quantum < 200; ++quantum) {
      const std::uint64_t what = random.below(10);
      if (inserted.empty() || what < 6) {
        inserted.push_back(route.next());
        index.insert(inserted.back());
        paper.insert(inserted.back());
      } else if (what < 8) {
        const auto frame = static_cast<std::uint32_t>(random.below(inserted.size()));
        if (index.erase(FrameId{frame})) paper.erase(frame);
      } else {
        const Histogram query =
            random.below(2) == 0 ? route.next() : inserted[random.below(inserted.size())];
        QueryOptions options;
        options.top_k = random.below(2) == 0 ? QueryOptions::kUnlimited : 1 + random.below(9);
        options.threshold = 0.5 * random.uniform();
        options.slack = random.below(2) == 0 ? 1.0 : random.uniform();
        if (random.below(3) == 0) options.beam = 1 + random.below(6);
        ASSERT_EQ(index.query(query, options).matches, paper.query(query, options));
      }
    }
  }
}

TEST_P(Greedy, WithoutSlackItIsExact) {
  RandomRoute route(99, kWords);
  Pair pair(Topology::parse(GetParam()));
  for (const Histogram& frame : route.take(150)) pair.insert(frame, {});
  for (const Histogram& query : route.take(40)) {
    const QueryOptions options = {.threshold = 0.3 * route.random().uniform(), .slack = 0};
    EXPECT_EQ(pair.index.query(query, options).matches, pair.oracle.query(query, options).matches);
  }
}

INSTANTIATE_TEST_SUITE_P(Topologies, Greedy,
                         testing::Values("d2b2-mean", "d2b16-mean", "d3b4-mean", "d6b2-mean"),
                         topology_name);

TEST(Bounds, APooledScoreIsNeverBelowADescendants) {
  for (const char* name : {"d3b4-max", "d3b4-sum"}) {
    RandomRoute route(7, kWords);
    PaperSearch paper(Topology::parse(name));
    const std::vector<Histogram> frames = route.take(64);
    for (const Histogram& frame : frames) paper.insert(frame);
    for (const Histogram& query : route.take(20)) {
      for (std::size_t frame = 0; frame < frames.size(); ++frame) {
        const FixedWeight score = paper.frame_score(frame, query);
        const FixedWeight parent = paper.node_score(1, paper.node_of(1, frame), query);
        const FixedWeight grandparent = paper.node_score(2, paper.node_of(2, frame), query);
        EXPECT_LE(score, parent);
        EXPECT_LE(parent, grandparent);
      }
    }
  }
}

TEST(Grouped, ExactPoolingEqualsTheOracleAndMeanThePaper) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    RandomRoute route(seed, kWords);
    const std::vector<Histogram> frames = route.take(90);
    const Groups lower = random_groups(frames.size(), 5, seed);
    const Groups upper = random_groups(18, 4, seed + 1);
    for (const Pooling pooling : {Pooling::max, Pooling::sum, Pooling::mean}) {
      const Topology topology = Topology::grouped({lower, upper}, pooling);
      Pair pair(topology);
      PaperSearch paper(topology);
      for (const Histogram& frame : frames) {
        pair.insert(frame, {});
        paper.insert(frame);
      }
      for (std::uint32_t frame = 0; frame < 90; frame += 1 + seed) {
        pair.erase(FrameId{frame});
        paper.erase(frame);
      }
      for (const Histogram& query : route.take(15)) {
        const QueryOptions threshold = {.threshold = 0.3 * route.random().uniform()};
        if (pooling != Pooling::mean) {
          EXPECT_EQ(pair.index.query(query).matches, pair.oracle.query(query).matches);
          EXPECT_EQ(pair.index.query(query, threshold).matches,
                    pair.oracle.query(query, threshold).matches);
        }
        EXPECT_EQ(pair.index.query(query, threshold).matches, paper.query(query, threshold));
        const QueryOptions beam = {.beam = 3};
        EXPECT_EQ(pair.index.query(query, beam).matches, paper.query(query, beam));
      }
    }
  }
}

TEST(Batch, InsertingAndAskingInBatchesChangesNothing) {
  for (const char* name : {"d1", "d2b8-max", "d3b4-mean"}) {
    RandomRoute route(3, kWords);
    const std::vector<Histogram> frames = route.take(200);
    const std::vector<Histogram> queries = route.take(30);
    PooledIndex one_by_one({kWords, Topology::parse(name)});
    PooledIndex batched({kWords, Topology::parse(name)});
    for (const Histogram& frame : frames) one_by_one.insert(frame);
    EXPECT_EQ(batched.insert(std::span(frames).first(77)), FrameId{0});
    EXPECT_EQ(batched.insert(std::span(frames).subspan(77)), FrameId{77});
    for (const std::size_t threads : {0, 1, 2, 5}) {
      const QueryOptions options = {.threshold = 0.1, .threads = threads};
      const std::vector<QueryResult> answers = batched.query(queries, options);
      ASSERT_EQ(answers.size(), queries.size());
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const QueryResult single = one_by_one.query(queries[i], options);
        EXPECT_EQ(answers[i].matches, single.matches);
        EXPECT_EQ(answers[i].layers, single.layers);
      }
    }
  }
}

TEST(Stats, TellHowMuchWasPruned) {
  RandomRoute route(5, kWords);
  PooledIndex index({kWords, Topology::parse("d3b4-max")});
  for (const Histogram& frame : route.take(64)) index.insert(frame);
  const QueryResult none = index.query(route.next(), {.threshold = 1});
  ASSERT_EQ(none.layers.size(), 3u);
  EXPECT_EQ(none.layers[2].nodes, 4u);
  EXPECT_EQ(none.layers[2].scored, 4u);
  EXPECT_EQ(none.layers[1].nodes, 16u);
  EXPECT_EQ(none.layers[1].scored, none.layers[2].descended * 4);
  EXPECT_EQ(none.layers[0].nodes, 64u);
  EXPECT_EQ(none.layers[0].scored, none.layers[1].descended * 4);
  EXPECT_LT(none.layers[0].scored, 64u);
}

TEST(Stats, TreesStopAtASingleRoot) {
  RandomRoute route(6, kWords);
  PooledIndex index({kWords, Topology::parse("d32b2-max")});
  for (std::size_t frames = 1; frames <= 9; ++frames) {
    index.insert(route.next());
    const std::size_t expected = frames == 1   ? 1
                                 : frames == 2 ? 2
                                 : frames <= 4 ? 3
                                 : frames <= 8 ? 4
                                               : 5;
    EXPECT_EQ(index.query(route.next()).layers.size(), expected) << frames << " frames";
  }
}

TEST(Contents, ComeBackAsTheyWereRounded) {
  RandomRoute route(8, kWords);
  PooledIndex index({kWords, {}});
  const Histogram frame = route.next();
  const FrameId id = index.insert(frame, {SessionId{42}});
  EXPECT_EQ(index.next_id(), FrameId{1});
  EXPECT_EQ(index.session(id), SessionId{42});
  const Histogram back = index.histogram(id).value();
  ASSERT_EQ(back.size(), frame.size());
  for (std::size_t i = 0; i < frame.size(); ++i) {
    EXPECT_EQ(back.words()[i], frame.words()[i]);
    EXPECT_NEAR(back.weights()[i], frame.weights()[i], 2.4e-10);
  }
  EXPECT_EQ(index.query(back).matches, index.query(frame).matches);
  EXPECT_TRUE(index.erase(id));
  EXPECT_FALSE(index.erase(id));
  EXPECT_FALSE(index.contains(id));
  EXPECT_EQ(index.histogram(id), std::nullopt);
  EXPECT_EQ(index.session(id), std::nullopt);
  EXPECT_EQ(index.insert(frame), FrameId{1}) << "ids are not used again";
}

TEST(Empty, AnIndexWithoutFramesMatchesNothing) {
  RandomRoute route(9, kWords);
  for (const char* name : {"d1", "d2b4-mean", "d3b4-max"}) {
    PooledIndex index({kWords, Topology::parse(name)});
    EXPECT_TRUE(index.query(route.next()).matches.empty());
    EXPECT_TRUE(index.query(route.next(), {.beam = 10}).matches.empty());
    EXPECT_TRUE(index.query(std::vector<Histogram>{}).empty());
    EXPECT_EQ(index.size(), 0u);
  }
}

}  // namespace
}  // namespace looptree
