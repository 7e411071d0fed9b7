// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "looptree/evaluate_export.hpp"

namespace looptree::evaluate {

/// One query's best match, seen as the claim "I was here before".
struct Claim {
  double score = 0;
  bool right = false;
};

/// What holds if every claim of at least `threshold` is believed.
struct CurvePoint {
  double threshold = 0;
  std::size_t right = 0;  ///< claims that are true
  std::size_t wrong = 0;  ///< false alarms
  double precision = 1;   ///< right / (right + wrong); 1 where nothing is claimed
  double recall = 0;      ///< right / positives; 0 where there are no positives
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// A precision-recall curve: points by falling threshold.
struct Curve {
  std::size_t positives = 0;  ///< queries that have a right answer
  std::vector<CurvePoint> points;
};

/// The point of a threshold at which this many claims were right and wrong.
LOOPTREE_EVALUATE_EXPORT CurvePoint curve_point(double threshold, std::size_t right,
                                                std::size_t wrong, std::size_t positives);

/// The curve over every threshold that makes a difference: one point per distinct score, so claims
/// of equal score are believed together or not at all. A query makes at most one claim; one that
/// has a right answer but claims another frame is both a false alarm and a miss. No claims give no
/// points. Throws Error(invalid_argument) where a score is NaN, or if more claims are right than
/// there are positives.
LOOPTREE_EVALUATE_EXPORT Curve precision_recall(std::span<const Claim> claims,
                                                std::size_t positives);

/// The area under the curve as a sum of steps, sum (R_k - R_k-1) P_k: each gain in recall counts at
/// the precision it was had at. 0 for a curve without points or positives. Steps back in recall,
/// which only curves measured threshold by threshold have, add nothing.
LOOPTREE_EVALUATE_EXPORT double average_precision(const Curve& curve);

/// The highest recall of a point without a false alarm; 0 if there is none.
LOOPTREE_EVALUATE_EXPORT double recall_at_full_precision(const Curve& curve);

/// The paper's policy: the smallest threshold that leaves no false alarm. It lies just above the
/// highest wrong score; 0 if no claim is wrong, and nothing if a wrong one scores 1 or more.
LOOPTREE_EVALUATE_EXPORT std::optional<double> safe_threshold(std::span<const Claim> claims);

/// The point of `threshold`, whether or not the curve has one.
LOOPTREE_EVALUATE_EXPORT CurvePoint point_at(std::span<const Claim> claims, std::size_t positives,
                                             double threshold);

/// Retrieval: the average precision of one ranked answer, best first, an entry per returned item
/// saying whether it is right, of `positives` right items in all. Holidays' rule: between two
/// ranks precision is averaged (trapezium). 0 without positives; right items that were not returned
/// add nothing. Throws Error(invalid_argument) if more are right than there are positives.
LOOPTREE_EVALUATE_EXPORT double ranked_average_precision(const std::vector<bool>& ranking,
                                                         std::size_t positives);

/// ukbench: how many of the first four of a ranked answer are right.
LOOPTREE_EVALUATE_EXPORT std::size_t right_in_top_four(const std::vector<bool>& ranking);

/// What a set of times, or of anything, looks like. Quantiles interpolate between neighbours.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double min = 0;
  double p25 = 0;
  double median = 0;
  double p75 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
};

/// All zero for no values.
LOOPTREE_EVALUATE_EXPORT Summary summarize(std::vector<double> values);

/// The paper's time-cost rate: milliseconds per thousand images in the database, as the slope of
/// the line through the origin nearest to the measurements. 0 if all sizes are 0. Throws
/// Error(invalid_argument) unless there is one time per size.
LOOPTREE_EVALUATE_EXPORT double rate_ms_per_1k(std::span<const double> sizes,
                                               std::span<const double> ms);

}  // namespace looptree::evaluate
