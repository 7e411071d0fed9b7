// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/synthetic_queries.hpp"

#include <set>

#include <gtest/gtest.h>

#include "looptree/evaluate/protocols/adaptive.hpp"
#include "looptree/evaluate/protocols/retrieval.hpp"

#include "tests/evaluate/made_route.hpp"
#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

using test::expect_error;
using test::MadeRoute;

constexpr std::uint32_t kWords = MadeRoute::kVocabularySize;

std::vector<Pose> odd_poses(const MadeRoute& made) {
  std::vector<Pose> poses;
  for (std::size_t i = 1; i < made.poses.size(); i += 2) poses.push_back(made.poses[i]);
  return poses;
}

std::vector<Pose> even_poses(const MadeRoute& made) {
  std::vector<Pose> poses;
  for (std::size_t i = 1; i < made.poses.size(); i += 2) poses.push_back(made.poses[i - 1]);
  return poses;
}

/// Histograms of words that the made routes do not have.
std::vector<Histogram> elsewhere(std::size_t count) {
  std::vector<Histogram> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(make_histogram(
        std::vector<WordId>{WordId{static_cast<std::uint32_t>(1950 + i % 40)}, WordId{1990}},
        std::vector<double>(kWords, 1.0)));
  }
  return result;
}

SyntheticQueries queries_of(const MadeRoute& made, const OddEven& split) {
  return {split.queries, elsewhere(30),
          GroundTruth::by_poses(even_poses(made), odd_poses(made), {3, 180})};
}

TEST(SyntheticQueries, OddEvenSplitsTheRoute) {
  const MadeRoute made(7, 7, 1);
  const OddEven split = odd_even(made.histograms);
  ASSERT_EQ(split.database.size(), 3u);
  ASSERT_EQ(split.queries.size(), 3u);
  EXPECT_EQ(split.database[1], made.histograms[3]);
  EXPECT_EQ(split.queries[1].histogram, made.histograms[2]);
  EXPECT_EQ(split.queries[1].frame, 1u);
}

TEST(SyntheticQueries, AsksAtEveryStageAndCountsBothKinds) {
  const MadeRoute made(240, 240, 2);
  const OddEven split = odd_even(made.histograms);
  const SyntheticQueries queries = queries_of(made, split);
  const std::vector<Variant> variants = {make_variant("d1", kWords),
                                         make_variant("d2b8-max", kWords),
                                         make_variant("d2b8-mean", kWords)};
  const EvaluationResult result =
      synthetic_queries(from_span(split.database), queries, variants,
                        {.threshold = 0.3, .stages = 4, .queries_per_stage = 10, .passes = 2});
  EXPECT_EQ(result.times.size(), 4u * 20 * 3 * 2);
  std::set<std::uint32_t> sizes;
  for (const QueryTime& time : result.times) {
    sizes.insert(time.database_size);
    if (time.kind == QueryKind::positive) {
      EXPECT_LT(queries.positive[time.query].frame, time.database_size);
    }
  }
  EXPECT_EQ(sizes, (std::set<std::uint32_t>{30, 60, 90, 120}));
  EXPECT_EQ(result.variants[0].metric("false_alarms"), 0.0);
  EXPECT_GT(result.variants[0].metric("recall").value(), 0.9);
  EXPECT_EQ(result.variants[1].metric("recall"), result.variants[0].metric("recall"));
  EXPECT_EQ(result.variants[1].metric("hits_kept"), 1.0);
  for (const char* name : {"positive_speedup", "negative_speedup", "rate_ms_per_1k"}) {
    EXPECT_TRUE(result.variants[2].metric(name)) << name;
  }
}

TEST(SyntheticQueries, RefusesWhatCannotBeMeasured) {
  const MadeRoute made(40, 40, 3);
  const OddEven split = odd_even(made.histograms);
  const std::vector<Variant> flat = {make_variant("d1", kWords)};
  SyntheticQueries queries = queries_of(made, split);
  const FrameSource frames = from_span(split.database);
  expect_error(ErrorKind::invalid_argument, "variant",
               [&] { synthetic_queries(frames, queries, {}); });
  expect_error(ErrorKind::invalid_argument, "1 stage",
               [&] { synthetic_queries(frames, queries, flat, {.stages = 0}); });
  queries.positive.pop_back();
  expect_error(ErrorKind::invalid_argument, "19 queries and 20 frames, found it for 20 and 20",
               [&] { synthetic_queries(frames, queries, flat); });
}

TEST(Adaptive, ComparesGroupingsOverTrials) {
  const MadeRoute made(320, 320, 4);
  const OddEven split = odd_even(made.histograms);
  AdaptiveOptions options;
  options.trials = 3;
  options.queries = {.threshold = 0.2, .stages = 1, .queries_per_stage = 20, .passes = 2};
  const EvaluationResult result =
      adaptive(split.database, odd_poses(made), queries_of(made, split), kWords, options);
  ASSERT_EQ(result.variants.size(), 4u);
  EXPECT_EQ(result.variants[2].name, "adaptive");
  std::uint32_t last_pass = 0;
  for (const QueryTime& time : result.times) last_pass = std::max(last_pass, time.pass);
  EXPECT_EQ(last_pass, 3 * 2 - 1u);
  for (const VariantResult& variant : result.variants) {
    EXPECT_LE(variant.metric("recall_low").value(), variant.metric("recall").value());
    EXPECT_GE(variant.metric("recall_high").value(), variant.metric("recall").value());
    EXPECT_TRUE(variant.metric("speedup"));
  }
  expect_error(ErrorKind::invalid_argument, "one pose per histogram", [&] {
    adaptive(split.database, made.poses, queries_of(made, split), kWords, options);
  });
}

TEST(Retrieval, FindsTheViewsOfAnObject) {
  std::vector<Histogram> images;
  std::vector<std::uint32_t> labels;
  for (std::uint32_t object = 0; object < 40; ++object) {
    for (int view = 0; view < 4; ++view) {
      std::vector<WordId> words;
      for (std::uint32_t w = 0; w < 12; ++w) {
        if ((w + static_cast<std::uint32_t>(view)) % 4 != 0) words.emplace_back(object * 12 + w);
      }
      words.emplace_back(900u);  // everywhere
      images.push_back(make_histogram(words, std::vector<double>(1000, 1.0)));
      labels.push_back(object);
    }
  }
  const EvaluationResult ukbench = retrieval(images, labels, 1000, {.passes = 1});
  constexpr std::size_t kVariants = 8;  // d1, lists, and three poolings of two groupings
  ASSERT_EQ(ukbench.variants.size(), kVariants);
  EXPECT_EQ(ukbench.variants[0].metric("score"), 4.0);
  for (const VariantResult& variant : ukbench.variants) {
    EXPECT_GT(variant.metric("score").value(), 3.9) << variant.name;
    EXPECT_TRUE(variant.metric("mean_ms")) << variant.name;
    EXPECT_FALSE(variant.metric("rate_ms_per_1k")) << variant.name;
  }
  EXPECT_EQ(ukbench.times.size(), 160u * kVariants);
  const EvaluationResult holidays =
      retrieval(images, labels, 1000, {.score = RetrievalScore::holidays, .passes = 1});
  EXPECT_EQ(holidays.variants[0].metric("map"), 1.0);
  EXPECT_EQ(holidays.times.size(), 40u * kVariants);
  expect_error(ErrorKind::invalid_argument, "one label per image",
               [&] { retrieval(images, std::span(labels).first(3), 1000); });
}

}  // namespace
}  // namespace looptree::evaluate
