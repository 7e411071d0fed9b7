// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "looptree/common/progress.hpp"
#include "looptree/evaluate/engine.hpp"
#include "looptree/evaluate/ground_truth.hpp"
#include "looptree/evaluate/result.hpp"
#include "looptree/evaluate_export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::evaluate {

/// A sequence as the protocols see it: L1-normalised histograms in order (an empty one is an image
/// without words) and what is right about them.
struct Route {
  std::string name;
  std::span<const Histogram> histograms;
  GroundTruth truth;
};

struct IncrementalOptions {
  /// A frame may be answered only with frames more than this many older.
  std::size_t exclude_recent = 300;
  /// Every so many frames asks, all are inserted: a long route is measured in less time. At
  /// least 1.
  std::size_t every = 1;
  /// The threshold at which time is measured; without one, the smallest without a false alarm of
  /// an exact search on this route: the paper's policy. A method with a scale of its own has its
  /// own by that policy in either case.
  std::optional<double> threshold = std::nullopt;
  /// How many times every query is timed; 0 measures no time.
  std::size_t passes = 5;
  /// Thresholds at which a curve that has to be measured point by point is sampled; at least 2.
  std::size_t curve_points = 40;
  ProgressCallback progress = nullptr;
};

/// Best matches of an exact search, every frame of the route asked before it is inserted.
struct RouteClaims {
  std::vector<std::optional<ScoredClosure>>
      best;                   ///< one per frame; nothing where none shares a word
  std::size_t positives = 0;  ///< frames with a right answer

  /// Those that made a claim, as the metrics take them.
  std::vector<Claim> claims() const;
};

/// Asks `variant` for the best match of every frame, or of every so many, before it is inserted, at
/// any score.
LOOPTREE_EVALUATE_EXPORT RouteClaims traverse(const Route& route, const Variant& variant,
                                              std::size_t exclude_recent,
                                              const ProgressCallback& progress = nullptr,
                                              std::size_t every = 1);

/// The paper's protocol, and with several variants its topology sweep: traverse the route, ask
/// before inserting, believe matches of at least the threshold.
///
/// Facts: frames, queries (frames that had anything to be answered with), positives,
/// exclude_recent, threshold. Metrics of a variant:
///   average_precision, recall_at_full_precision, safe_threshold   of its curve
///   precision, recall      of its best matches at the threshold
///   hits_kept              share of the matches an exact search returns at the threshold that it
///                          returned too; 1 where there are none
///   best_kept              share of the queries an exact search answers that it answered with the
///                          same best match; 1 where there are none
///   same_answers           share of queries with the very same matches as an exact search
///                          (a method with a scale of its own has `threshold` instead of these)
///   times                  as add_time_metrics() has them
/// Throws Error(invalid_argument) if there are no variants, if truth and route differ in length, or
/// where the threshold lies outside [0, 1] or `every` is 0; Error(unsupported) if the policy finds
/// no threshold.
LOOPTREE_EVALUATE_EXPORT EvaluationResult incremental(const Route& route, const WordSpace& words,
                                                      std::span<const Variant> variants,
                                                      const IncrementalOptions& options = {});

/// The paper's threshold policy: chosen on the first route, used on all. One variant of the result
/// per route, with precision, recall, false_alarms, and recall_at_full_precision, the most any
/// threshold could have had there. Throws as incremental() does.
LOOPTREE_EVALUATE_EXPORT EvaluationResult
threshold_policy(std::span<const Route> routes, const Variant& variant,
                 std::size_t exclude_recent = 300, const ProgressCallback& progress = nullptr);

/// Scores somebody else's closures by the same rules. Of several closures of one query the one of
/// the highest score counts, the first of equals. With `has_scores` false there is one point only.
/// Throws Error(invalid_argument) for a frame past the end.
LOOPTREE_EVALUATE_EXPORT EvaluationResult score_closures(std::string name,
                                                         std::span<const ScoredClosure> closures,
                                                         const GroundTruth& truth,
                                                         std::size_t exclude_recent,
                                                         bool has_scores);

}  // namespace looptree::evaluate
