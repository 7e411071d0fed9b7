// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/incremental.hpp"

#include <gtest/gtest.h>

#include "looptree/histogram/scores.hpp"

#include "tests/evaluate/made_route.hpp"
#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

using test::expect_error;
using test::MadeRoute;

constexpr std::uint32_t kWords = MadeRoute::kVocabularySize;
constexpr std::size_t kExcludeRecent = 30;

Route route_of(const MadeRoute& made, PoseRule rule = {3, 180}) {
  return {"made", made.histograms, GroundTruth::by_poses(made.poses, rule)};
}

std::vector<Variant> variants(std::initializer_list<const char*> names) {
  std::vector<Variant> result;
  for (const char* name : names) result.push_back(make_variant(name, kWords));
  return result;
}

/// The same protocol in the plainest words.
RouteClaims by_hand(const MadeRoute& made, const GroundTruth& truth) {
  RouteClaims result{std::vector<std::optional<ScoredClosure>>(made.histograms.size()), 0};
  for (std::size_t i = 0; i < made.histograms.size(); ++i) {
    bool positive = false;
    for (std::size_t j = 0; j + kExcludeRecent < i; ++j) {
      positive = positive || truth.is_right(i, j);
      const double score = intersection(made.histograms[i], made.histograms[j]);
      if (score > 0 && (!result.best[i] || score > result.best[i]->score)) {
        result.best[i] = ScoredClosure{i, j, score, truth.is_right(i, j)};
      }
    }
    result.positives += positive ? 1 : 0;
  }
  return result;
}

TEST(Incremental, TraversingAgreesWithComparingEveryPair) {
  const MadeRoute made(260, 120, 1);
  const Route route = route_of(made);
  const RouteClaims expected = by_hand(made, route.truth);
  for (const char* name : {"d1", "d2b4-max", "d3b4-sum", "exhaustive"}) {
    const RouteClaims claims = traverse(route, make_variant(name, kWords), kExcludeRecent);
    EXPECT_EQ(claims.best, expected.best) << name;
    EXPECT_EQ(claims.positives, expected.positives) << name;
  }
}

TEST(Incremental, ExactVariantsLoseNothing) {
  const MadeRoute made(260, 120, 2);
  const Route route = route_of(made);
  const EvaluationResult result =
      incremental(route, kWords, variants({"d1", "d2b4-max", "d2b8-sum", "lists", "d2b8-mean"}),
                  {.exclude_recent = kExcludeRecent, .passes = 2});
  ASSERT_EQ(result.variants.size(), 5u);
  const VariantResult& flat = result.variants[0];
  EXPECT_GT(flat.metric("average_precision").value(), 0.9);
  EXPECT_EQ(flat.metric("precision"), 1.0) << "the policy leaves no false alarm";
  EXPECT_EQ(flat.metric("recall"), flat.metric("recall_at_full_precision"));
  for (int v : {0, 1, 2, 3}) {
    const VariantResult& variant = result.variants[static_cast<std::size_t>(v)];
    EXPECT_EQ(variant.metric("same_answers"), 1.0) << variant.name;
    EXPECT_EQ(variant.metric("hits_kept"), 1.0) << variant.name;
    EXPECT_EQ(variant.metric("recall"), flat.metric("recall")) << variant.name;
  }
  EXPECT_EQ(result.variants[1].curve.points, flat.curve.points);
  EXPECT_LE(result.variants[4].metric("recall").value(), flat.metric("recall").value());
}

TEST(Incremental, TimesEveryQueryOfEveryVariant) {
  const MadeRoute made(100, 50, 3);
  const EvaluationResult result = incremental(route_of(made), kWords, variants({"d1", "d2b4-max"}),
                                              {.exclude_recent = kExcludeRecent, .passes = 3});
  EXPECT_EQ(result.times.size(), (100 - kExcludeRecent - 1) * 2 * 3);
  for (const QueryTime& time : result.times) {
    EXPECT_EQ(time.database_size, time.query - kExcludeRecent);
    EXPECT_GT(time.ms, 0);
  }
  EXPECT_EQ(result.variants[0].metric("speedup"), 1.0);
  for (const VariantResult& variant : result.variants) {
    EXPECT_LE(variant.metric("mean_ms_low").value(), variant.metric("mean_ms").value());
    EXPECT_GE(variant.metric("mean_ms_high").value(), variant.metric("mean_ms").value());
  }
}

TEST(Incremental, MeasuredCurvesAgreeWithAskingAtTheirThresholds) {
  const MadeRoute made(200, 90, 4);
  const Route route = route_of(made);
  const Variant mean = make_variant("d2b8-mean", kWords);
  const EvaluationResult result =
      incremental(route, kWords, std::vector<Variant>{mean},
                  {.exclude_recent = kExcludeRecent, .passes = 0, .curve_points = 10});
  EXPECT_TRUE(result.times.empty());
  ASSERT_FALSE(result.variants[0].curve.points.empty());
  for (const CurvePoint& point : result.variants[0].curve.points) {
    const EvaluationResult at = incremental(route, kWords, std::vector<Variant>{mean},
                                            {.exclude_recent = kExcludeRecent,
                                             .threshold = point.threshold,
                                             .passes = 0,
                                             .curve_points = 2});
    EXPECT_EQ(at.variants[0].metric("precision"), point.precision);
    EXPECT_EQ(at.variants[0].metric("recall"), point.recall);
  }
}

TEST(Incremental, ImagesWithoutWordsKeepTheirNumbers) {
  MadeRoute made(200, 90, 5);
  for (std::size_t i = 10; i < 200; i += 25) made.histograms[i] = Histogram();
  const Route route = route_of(made);
  const RouteClaims claims = traverse(route, make_variant("d2b4-max", kWords), kExcludeRecent);
  EXPECT_EQ(claims.best, by_hand(made, route.truth).best);
  EXPECT_FALSE(claims.best[185]);
}

TEST(Incremental, KeyframesAreAnsweredWithKeyframes) {
  const MadeRoute made(200, 90, 6);
  std::vector<bool> keep(200);
  for (std::size_t i = 0; i < 200; i += 3) keep[i] = true;
  const Variant variant = on_keyframes(make_variant("d1", kWords), keep);
  EXPECT_EQ(variant.name, "keyframes d1");
  for (const auto& best : traverse(route_of(made), variant, kExcludeRecent).best) {
    if (best) {
      EXPECT_EQ(best->match % 3, 0u);
    }
  }
}

TEST(Incremental, NoPositivesAndShortRoutesAreDefined) {
  const MadeRoute once(60, 80, 7);
  const EvaluationResult none = incremental(route_of(once), kWords, variants({"d1"}),
                                            {.exclude_recent = kExcludeRecent, .passes = 1});
  EXPECT_EQ(none.variants[0].metric("recall"), 0.0);
  EXPECT_EQ(none.variants[0].metric("average_precision"), 0.0);
  const MadeRoute shorter(5, 5, 8);
  const EvaluationResult empty = incremental(route_of(shorter), kWords, variants({"d1"}),
                                             {.exclude_recent = kExcludeRecent, .passes = 1});
  EXPECT_TRUE(empty.times.empty());
  EXPECT_EQ(empty.variants[0].metric("precision"), 1.0);
}

TEST(Incremental, RefusesWhatCannotBeMeasured) {
  const MadeRoute made(20, 20, 9);
  Route route = route_of(made);
  expect_error(ErrorKind::invalid_argument, "found none", [&] { incremental(route, kWords, {}); });
  expect_error(ErrorKind::invalid_argument, "threshold from 0 to 1",
               [&] { incremental(route, kWords, variants({"d1"}), {.threshold = 1.5}); });
  route.histograms = route.histograms.first(10);
  expect_error(ErrorKind::invalid_argument, "for 10 frames, found it for 20 queries",
               [&] { incremental(route, kWords, variants({"d1"})); });
  expect_error(ErrorKind::invalid_argument, "slack from 0 to 1",
               [] { make_variant("d2b4-mean@2", kWords); });
}

TEST(Threshold, IsChosenOnTheFirstRouteAndUsedOnTheOthers) {
  const MadeRoute a(220, 100, 10);
  const MadeRoute b(220, 100, 11);
  const std::vector<Route> routes = {
      route_of(a), {"other", b.histograms, GroundTruth::by_poses(b.poses, {3, 180})}};
  const EvaluationResult result =
      threshold_policy(routes, make_variant("d1", kWords), kExcludeRecent);
  EXPECT_EQ(result.variants[0].metric("false_alarms"), 0.0);
  EXPECT_EQ(result.variants[0].metric("recall"),
            result.variants[0].metric("recall_at_full_precision"));
  const RouteClaims claims = traverse(routes[1], make_variant("d1", kWords), kExcludeRecent);
  const CurvePoint expected = point_at(claims.claims(), claims.positives, result.facts[0].value);
  EXPECT_EQ(result.variants[1].metric("recall"), expected.recall);
  EXPECT_EQ(result.variants[1].metric("precision"), expected.precision);
}

TEST(Closures, OfAnotherMethodAreScoredByTheSameRules) {
  const GroundTruth truth = GroundTruth::by_labels({1, 2, 3, 1, 2, 3}, {1, 2, 3, 1, 2, 3});
  // Frame 3 is answered twice, first wrongly with less score; 4 wrongly; 5 not at all.
  const std::vector<ScoredClosure> closures = {
      {3, 1, 0.4, false}, {3, 0, 0.5, false}, {4, 0, 0.3, false}};
  const EvaluationResult result = score_closures("rival", closures, truth, 1, true);
  const VariantResult& rival = result.variants[0];
  EXPECT_EQ(rival.metric("precision"), 0.5);
  EXPECT_DOUBLE_EQ(rival.metric("recall").value(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rival.metric("recall_at_full_precision").value(), 1.0 / 3);
  EXPECT_EQ(rival.curve.points.size(), 2u);
  const EvaluationResult bare = score_closures("rival", closures, truth, 1, false);
  EXPECT_EQ(bare.variants[0].curve.points.size(), 1u);
  EXPECT_EQ(bare.variants[0].metric("recall"), 0.0) << "the first of equals counts";
  expect_error(ErrorKind::invalid_argument, "below 6, found 9", [&] {
    score_closures("rival", std::vector<ScoredClosure>{{9, 0, 1, false}}, truth, 1, true);
  });
}

}  // namespace
}  // namespace looptree::evaluate
