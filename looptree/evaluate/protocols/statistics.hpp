// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "looptree/common/progress.hpp"
#include "looptree/evaluate/engine.hpp"
#include "looptree/evaluate/protocols/incremental.hpp"
#include "looptree/evaluate/result.hpp"
#include "looptree/evaluate_export.hpp"

namespace looptree::evaluate {

struct StatisticsOptions {
  std::size_t exclude_recent = 300;  ///< frames more recent than this are no wrong answers either
  std::size_t sample = 300;  ///< queries, spread over the route, whose pairs are looked at; >= 1
  ProgressCallback progress = nullptr;
};

/// What a route looks like to an index: the numbers that decide which search is fast, and that a
/// made-up drive has to share with a real one. Metrics of the result, which has the route's name:
///   distinct_words        words of a frame, each counted once, on average
///   distinct_deviation    the standard deviation of that from frame to frame
///   once_share            of these, the share that occurs once in the frame
///   wrong_mean, wrong_p999, wrong_max   scores of pairs that are no match, of the sample
///   threshold, recall     the smallest without a false alarm, and recall of the best match there
///   postings_per_frame    words that a query shares with a frame of the database, on average
///   max_bN_survive, mean_bN_survive     for N of 2, 4, 8, 16: the share of regular groups of N
///                         frames whose pooled histogram reaches the threshold
/// `words.weights` are needed. Throws as incremental() does, and Error(invalid_argument) without
/// weights or sample. Cost: the sample times the route, a few seconds for KITTI 00.
LOOPTREE_EVALUATE_EXPORT VariantResult word_statistics(const Route& route, const WordSpace& words,
                                                       const StatisticsOptions& options = {});

}  // namespace looptree::evaluate
