// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Bounds from fewer rows: never below what a frame may score, and searches that use them against
// the oracle, in maps of all sizes.
#include "looptree/index/search/assuming_plans.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/common/simd.hpp"
#include "looptree/dataset/word_stream.hpp"
#include "looptree/index/core/huge_pages.hpp"
#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/kernels/block_sums.hpp"
#include "looptree/index/pooled_index.hpp"
#include "looptree/index/search/bound_plans.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

using detail::kBlockFrames;
using detail::kLine;

/// Frames that the counts of words are taken of.
constexpr std::uint32_t kCounted = 65535;

/// A block of random frames, and a query about all of its words.
struct Scene {
  Scene(Random& random, std::uint32_t words)
      : lines(pool.allocate(1 + 2 * words)), query(workspace) {
    scale = 1e5 * (0.5 + random.uniform());
    query.sums.quantum = static_cast<FixedWeight>(1 + random.below(5000));
    query.to_repeated = words * kLine;
    for (std::uint32_t word = 0; word < words; ++word) {
      const auto idf = static_cast<float>(0.1 + 4 * random.uniform());
      query.words.push_back(word);
      query.rows.push_back((word + 1) * kLine);
      query.idf.push_back(idf);
      query.weights.push_back(
          static_cast<FixedWeight>(idf * scale * (0.3 + 3 * random.uniform()) + 1));
      fill(random, word, random.uniform());
    }
  }

  void fill(Random& random, std::uint32_t word, double density) {
    counts.push_back(static_cast<std::uint32_t>(kCounted * density));
    for (std::uint32_t frame = 0; frame < kBlockFrames; ++frame) {
      if (random.uniform() >= density) continue;
      const bool repeated = random.below(6) == 0;
      const auto bit = static_cast<std::uint8_t>(1u << (frame % 8));
      std::uint8_t* row = lines.data() + query.rows[word] + frame / 8;
      *row |= bit;
      if (repeated) row[query.to_repeated] |= bit;
      const double once = std::min<double>(query.weights[word], query.idf[word] * scale);
      most[frame] += repeated ? query.weights[word] : once;
    }
  }

  detail::Workspace workspace;
  detail::LinePool pool;
  detail::Lines lines;
  detail::RowWords query;
  std::vector<std::uint32_t> counts;
  double scale = 0;
  std::vector<double> most = std::vector<double>(kBlockFrames, 0.0);  // what a frame may score
};

class AssumingPlans : public testing::Test {
 protected:
  void TearDown() override { force_simd_level(""); }
};

TEST_F(AssumingPlans, BoundEveryFrameFromAboveAtEveryCareAndLevel) {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    Scene scene(random, 1 + static_cast<std::uint32_t>(random.below(400)));
    // Wrong counts cost time, never an answer.
    if (round % 3 == 0) std::reverse(scene.counts.begin(), scene.counts.end());
    const double highest = *std::max_element(scene.most.begin(), scene.most.end());
    const auto threshold = static_cast<std::uint64_t>(highest * (0.5 + 2 * random.uniform()));
    detail::AssumingPlans plans(scene.query, {scene.counts, kCounted, threshold, scene.scale},
                                scene.workspace);
    std::size_t cares = 0;
    while (const detail::RowPlan* plan = plans.plan()) {
      for (const std::string& level : simd_levels()) {
        force_simd_level(level);
        std::vector<std::uint16_t> sums(kBlockFrames, 0);
        detail::add_block_sums(detail::BlockSums(*plan, {scene.lines.data(), scene.lines.data()}),
                               sums.data());
        for (std::size_t i = 0; i < kBlockFrames; ++i) {
          const double bound = static_cast<double>(plan->remainder) +
                               static_cast<double>(sums[i]) * scene.query.sums.quantum;
          ASSERT_GE(bound, scene.most[i] * (1 - 1e-9)) << level << ", frame " << i;
        }
      }
      for (int i = 0; i < 8; ++i) plans.counted(true);  // nothing but repetitions: more care
      ASSERT_LE(++cares, 10u) << "expected assuming plans to be given up";
    }
  }
}

/// Without padding.
std::size_t rows_read(const detail::RowPlan& plan) {
  const auto end = plan.rows.begin() + static_cast<std::ptrdiff_t>(plan.first_row(plan.batches()));
  return static_cast<std::size_t>(end - plan.rows.begin() - std::count(plan.rows.begin(), end, 0u));
}

TEST_F(AssumingPlans, ReadFewerRowsWhereTheThresholdIsFar) {
  Random random(6);
  Scene scene(random, 300);
  const double highest = *std::max_element(scene.most.begin(), scene.most.end());
  const auto near = static_cast<std::uint64_t>(highest);
  detail::AssumingPlans tighter(scene.query, {scene.counts, kCounted, near, scene.scale},
                                scene.workspace);
  detail::AssumingPlans plans(scene.query, {scene.counts, kCounted, 3 * near, scene.scale},
                              scene.workspace);
  EXPECT_LT(rows_read(*plans.plan()), rows_read(*tighter.plan()));
  plans.raise_scale(2 * scene.scale);
  EXPECT_NE(plans.plan(), nullptr);
  detail::AssumingPlans none(scene.query, {scene.counts, kCounted, 1, scene.scale},
                             scene.workspace);
  EXPECT_EQ(none.plan(), nullptr) << "expected no assuming plan below the mean";
}

/// Maps too small for assuming plans, where a plan without repeated rows comes first if the
/// threshold is high, and large enough ones; with thresholds from where nearly all frames pass to
/// where none does, and at the very score of a frame.
class AssumingSearch : public testing::TestWithParam<std::uint32_t> {
 protected:
  void TearDown() override { force_simd_level(""); }
};

TEST_P(AssumingSearch, EqualsTheOracle) {
  WordStreamOptions drive;
  drive.vocabulary_size = 400;
  drive.landmarks = 70;
  drive.zipf = 0.9;  // weights of every size, of which the smallest are left out
  drive.new_frames = 3000;
  drive.revisit_frames = 200;
  const WordStream words(drive);
  const auto frame = [&](std::uint64_t i) {
    return make_histogram(words.frame(i), words.word_weights());
  };
  const std::vector<double> weights(words.word_weights().begin(), words.word_weights().end());
  PooledIndex index({drive.vocabulary_size, {}, weights});
  ExhaustiveIndex oracle(drive.vocabulary_size);
  for (std::uint32_t i = 0; i < GetParam(); ++i) {
    index.insert(frame(i));
    oracle.insert(frame(i));
  }
  for (std::uint32_t i = 600; i < std::min(GetParam(), 2900u); i += 1 + i % 5) {
    index.erase(FrameId{i});
    oracle.erase(FrameId{i});
  }
  for (const std::uint64_t asked : {40u, 3100u, 9000u, 20000u, 31000u}) {
    const Histogram query = frame(asked);
    QueryOptions options{.top_k = QueryOptions::kUnlimited};
    const std::vector<Match> all = oracle.query(query, options).matches;
    for (const double part : {0.0, 0.0005, 0.002, 0.02, 0.3, 0.9}) {
      const auto at = static_cast<std::size_t>(part * static_cast<double>(all.size() - 1));
      options.threshold = all[at].score;
      std::vector<Match> right = oracle.query(query, options).matches;
      for (const std::string& level : simd_levels()) {
        force_simd_level(level);
        ASSERT_EQ(index.query(query, options).matches, right) << level << ", threshold of " << at;
      }
    }
    options.threshold = std::min(1.0, all.front().score + 0.1);
    EXPECT_EQ(index.query(query, options).matches, oracle.query(query, options).matches);
  }
}

INSTANTIATE_TEST_SUITE_P(Frames, AssumingSearch, testing::Values(700, 3000, 9700));

/// For a query that has some words once and some more often.
TEST(BoundPlans, PresencePlanReadsNoRepeatedRowsAndIsNeverTighter) {
  constexpr std::uint32_t kWords = 300;
  Random random(8);
  std::vector<std::uint32_t> words(kWords);
  std::iota(words.begin(), words.end(), 0u);
  const detail::IdfTable idf(std::vector<double>(kWords, 1.0), kWords);
  const detail::RowLayout layout(words, kWords);
  std::vector<FixedWeight> weights;
  for (std::uint32_t i = 0; i < kWords; ++i) {
    weights.push_back(kFixedOne / (2 * kWords) * static_cast<FixedWeight>(1 + random.below(3)));
  }
  detail::Workspace workspace;
  const FixedView query{words, weights};
  detail::BoundPlans bounds(query, layout, idf, workspace);
  const FixedWeight once = kFixedOne / (2 * kWords);
  const auto most = [](const detail::RowPlan& plan) {
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < plan.batches(); ++b) {
      sum += (plan.first_row(b + 1) - plan.first_row(b)) * std::uint64_t{plan.impacts[b]};
    }
    return sum;
  };
  const detail::RowPlan& tight = bounds.plan(once, detail::RowPlan::Grain::coarse);
  const detail::RowPlan& presence = bounds.presence_plan();
  EXPECT_EQ(rows_read(presence), kWords);
  EXPECT_GT(rows_read(tight), kWords);
  EXPECT_LT(*std::max_element(presence.rows.begin(), presence.rows.end()),
            layout.repeated_line(1) * kLine);
  double total = 0;
  for (const FixedWeight weight : weights) total += weight;
  EXPECT_GE(static_cast<double>(most(presence)) * bounds.quantum(), total);
  EXPECT_EQ(&bounds.plan(once, detail::RowPlan::Grain::coarse), &tight) << "expected it to be kept";
  EXPECT_EQ(&bounds.presence_plan(), &presence) << "expected it to be kept";

  // Were every word in half of the frames, a frame would have half of all that the query weighs.
  const std::vector<std::uint32_t> counts(kWords, 50);
  EXPECT_NEAR(bounds.mean_bound(counts, 100), total / 2, total / 10);
}

}  // namespace
}  // namespace looptree
