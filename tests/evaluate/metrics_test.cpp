// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"

#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

using test::expect_error;

TEST(PrecisionRecall, ByHand) {
  // Six queries, four of them revisits; one revisit makes no claim at all.
  const std::vector<Claim> claims = {
      {0.9, true}, {0.8, true}, {0.7, false}, {0.6, true}, {0.1, false}};
  const Curve curve = precision_recall(claims, 4);
  ASSERT_EQ(curve.points.size(), 5u);
  EXPECT_EQ(curve.points[0], (CurvePoint{0.9, 1, 0, 1.0, 0.25}));
  EXPECT_EQ(curve.points[1], (CurvePoint{0.8, 2, 0, 1.0, 0.5}));
  EXPECT_EQ(curve.points[2], (CurvePoint{0.7, 2, 1, 2.0 / 3, 0.5}));
  EXPECT_EQ(curve.points[3], (CurvePoint{0.6, 3, 1, 0.75, 0.75}));
  EXPECT_EQ(curve.points[4], (CurvePoint{0.1, 3, 2, 0.6, 0.75}));
  EXPECT_DOUBLE_EQ(average_precision(curve), 0.25 + 0.25 + 0.25 * 0.75);
  EXPECT_DOUBLE_EQ(recall_at_full_precision(curve), 0.5);
  const double threshold = safe_threshold(claims).value();
  EXPECT_GT(threshold, 0.7);
  EXPECT_LT(threshold, 0.7 + 1e-12);
  EXPECT_EQ(point_at(claims, 4, threshold), curve_point(threshold, 2, 0, 4));
}

TEST(PrecisionRecall, EqualScoresAreBelievedTogether) {
  const std::vector<Claim> claims = {{0.5, true}, {0.5, false}, {0.5, true}, {0.2, true}};
  const Curve curve = precision_recall(claims, 3);
  ASSERT_EQ(curve.points.size(), 2u);
  EXPECT_EQ(curve.points[0], (CurvePoint{0.5, 2, 1, 2.0 / 3, 2.0 / 3}));
  EXPECT_EQ(curve.points[1], (CurvePoint{0.2, 3, 1, 0.75, 1.0}));
  EXPECT_EQ(recall_at_full_precision(curve), 0);
}

TEST(PrecisionRecall, NoQueriesNoPositivesOneQuery) {
  const Curve none = precision_recall({}, 0);
  EXPECT_TRUE(none.points.empty());
  EXPECT_EQ(average_precision(none), 0);
  EXPECT_EQ(recall_at_full_precision(none), 0);
  EXPECT_EQ(safe_threshold({}), 0.0);

  const std::vector<Claim> alarm = {{0.4, false}};
  const Curve no_positives = precision_recall(alarm, 0);
  ASSERT_EQ(no_positives.points.size(), 1u);
  EXPECT_EQ(no_positives.points[0], (CurvePoint{0.4, 0, 1, 0.0, 0.0}));
  EXPECT_EQ(average_precision(no_positives), 0);

  const std::vector<Claim> hit = {{0.4, true}};
  const Curve one = precision_recall(hit, 1);
  EXPECT_EQ(average_precision(one), 1);
  EXPECT_EQ(recall_at_full_precision(one), 1);
  EXPECT_EQ(safe_threshold(hit), 0.0);

  const std::vector<Claim> certain = {{1.0, false}};
  EXPECT_EQ(safe_threshold(certain), std::nullopt);
}

TEST(PrecisionRecall, RefusesWhatCannotBe) {
  const std::vector<Claim> nan = {{std::numeric_limits<double>::quiet_NaN(), true}};
  expect_error(ErrorKind::invalid_argument, "NaN", [&] { precision_recall(nan, 1); });
  const std::vector<Claim> claims = {{0.5, true}, {0.4, true}};
  expect_error(ErrorKind::invalid_argument, "at most 1", [&] { precision_recall(claims, 1); });
}

TEST(PrecisionRecall, AgreesWithCountingByBruteForce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<Claim> claims(random.below(40));
    std::size_t positives = random.below(10);
    for (Claim& claim : claims) {
      claim = {static_cast<double>(random.below(12)) / 11, random.below(2) == 0};
      positives += claim.right ? 1 : 0;
    }
    const Curve curve = precision_recall(claims, positives);
    double area = 0;
    double best = 0;
    double recall = 0;
    std::size_t points = 0;
    for (int step = 11; step >= 0; --step) {
      const double threshold = step / 11.0;
      const bool occurs = std::any_of(claims.begin(), claims.end(),
                                      [&](const Claim& c) { return c.score == threshold; });
      const CurvePoint counted = point_at(claims, positives, threshold);
      if (!occurs) continue;
      ASSERT_LT(points, curve.points.size()) << "seed " << seed;
      ASSERT_EQ(curve.points[points++], counted) << "seed " << seed;
      area += (counted.recall - recall) * counted.precision;
      recall = counted.recall;
      if (counted.wrong == 0) best = std::max(best, recall);
    }
    EXPECT_EQ(points, curve.points.size());
    EXPECT_DOUBLE_EQ(average_precision(curve), area);
    EXPECT_EQ(recall_at_full_precision(curve), best);
    if (const auto threshold = safe_threshold(claims)) {
      EXPECT_EQ(point_at(claims, positives, *threshold).wrong, 0u);
      EXPECT_EQ(point_at(claims, positives, *threshold).recall, best);
      // Anything smaller would let a wrong claim in.
      if (*threshold > 0) {
        EXPECT_GT(point_at(claims, positives, std::nextafter(*threshold, 0)).wrong, 0u);
      }
    }
  }
}

TEST(Retrieval, RankedAveragePrecisionByHand) {
  EXPECT_DOUBLE_EQ(ranked_average_precision({true, true}, 2), 1);
  // Right at ranks 1 and 3 of 2: (1 + 1) / 2, then (1/2 + 2/3) / 2.
  EXPECT_DOUBLE_EQ(ranked_average_precision({true, false, true}, 2), (1 + (0.5 + 2.0 / 3) / 2) / 2);
  EXPECT_DOUBLE_EQ(ranked_average_precision({false, true}, 1), (0.0 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(ranked_average_precision({true}, 4), 0.25);
  EXPECT_EQ(ranked_average_precision({}, 3), 0);
  EXPECT_EQ(ranked_average_precision({false}, 0), 0);
  expect_error(ErrorKind::invalid_argument, "at most 0",
               [] { ranked_average_precision({true}, 0); });
}

TEST(Retrieval, UkbenchCountsTheFirstFour) {
  EXPECT_EQ(right_in_top_four({true, false, true, true, true}), 3u);
  EXPECT_EQ(right_in_top_four({true}), 1u);
  EXPECT_EQ(right_in_top_four({}), 0u);
}

TEST(Summary, QuantilesInterpolate) {
  const Summary summary = summarize({4, 1, 3, 2});
  EXPECT_EQ(summary.count, 4u);
  EXPECT_DOUBLE_EQ(summary.mean, 2.5);
  EXPECT_DOUBLE_EQ(summary.median, 2.5);
  EXPECT_DOUBLE_EQ(summary.p25, 1.75);
  EXPECT_DOUBLE_EQ(summary.p75, 3.25);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 4);
  EXPECT_EQ(summarize({}).count, 0u);
  EXPECT_EQ(summarize({7}).p99, 7);
}

TEST(Rate, IsTheSlopeThroughTheOrigin) {
  const std::vector<double> sizes = {1000, 2000, 4000};
  EXPECT_DOUBLE_EQ(rate_ms_per_1k(sizes, std::vector<double>{0.5, 1, 2}), 0.5);
  EXPECT_EQ(rate_ms_per_1k({}, {}), 0);
  expect_error(ErrorKind::invalid_argument, "found 1 times for 3",
               [&] { rate_ms_per_1k(sizes, std::vector<double>{1}); });
}

}  // namespace
}  // namespace looptree::evaluate
