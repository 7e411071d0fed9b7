// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "looptree/common/progress.hpp"
#include "looptree/evaluate/engine.hpp"
#include "looptree/evaluate/ground_truth.hpp"
#include "looptree/evaluate/result.hpp"
#include "looptree/evaluate_export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::evaluate {

/// Frames to be inserted, made one at a time: a million histograms would not fit into memory.
struct FrameSource {
  std::size_t count = 0;
  std::function<Histogram(std::size_t frame)> at;
};

/// Frames that lie in memory, which outlives the source.
LOOPTREE_EVALUATE_EXPORT FrameSource from_span(std::span<const Histogram> histograms);

/// A query made to have a right answer: an image taken where frame `frame` was.
struct PositiveQuery {
  Histogram histogram;
  std::size_t frame = 0;
};

struct SyntheticQueries {
  std::vector<PositiveQuery> positive;
  std::vector<Histogram> negative;
  /// Row p: the right answers of positive query p.
  GroundTruth truth;
};

/// The Oxford rule: odd frames are the database, even ones the positive queries.
struct OddEven {
  std::vector<Histogram> database;     ///< frames 1, 3, 5, ...
  std::vector<PositiveQuery> queries;  ///< frames 0, 2, 4, ..., at the database frame after them
};
LOOPTREE_EVALUATE_EXPORT OddEven odd_even(std::span<const Histogram> route);

/// Positive queries with each image of a second camera that saw what the frame of its number saw.
LOOPTREE_EVALUATE_EXPORT std::vector<PositiveQuery> second_camera(
    std::span<const Histogram> images);

struct SyntheticOptions {
  /// Matches of at least this score are believed; in [0, 1].
  double threshold = 0;
  /// Sizes of the database at which it is asked, evenly spaced up to the whole; at least 1.
  std::size_t stages = 10;
  /// Queries of either kind at each stage, drawn without repetition; all if there are fewer.
  std::size_t queries_per_stage = 50;
  std::size_t passes = 5;
  std::uint64_t seed = 1;
  ProgressCallback progress = nullptr;
};

/// The paper's way to measure speed where a route has few loops: insert the frames, and at several
/// sizes ask queries that have a right answer among the frames inserted so far and queries that
/// have none.
///
/// Facts: frames, positives and negatives (queries asked), threshold. Metrics of a variant: recall
/// (positive queries whose best match is right), precision (of all best matches), false_alarms
/// (negative queries that were answered), hits_kept (share of the first variant's matches that it
/// returned too; 1 where there are none), and times. The first variant is the baseline, and should
/// be exact. Throws Error(invalid_argument) for options out of range, or for no variants or
/// queries.
LOOPTREE_EVALUATE_EXPORT EvaluationResult synthetic_queries(const FrameSource& frames,
                                                            const SyntheticQueries& queries,
                                                            std::span<const Variant> variants,
                                                            const SyntheticOptions& options = {});

}  // namespace looptree::evaluate
