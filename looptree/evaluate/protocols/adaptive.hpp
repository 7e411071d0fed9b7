// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/common/pose.hpp"
#include "looptree/evaluate/methods/clustering.hpp"
#include "looptree/evaluate/protocols/synthetic_queries.hpp"
#include "looptree/evaluate_export.hpp"
#include "looptree/index/topology.hpp"

namespace looptree::evaluate {

struct AdaptiveOptions {
  /// The average size of a group, and the branching of the regular topology; at least 2.
  std::size_t branching = 16;
  Pooling pooling = Pooling::mean;
  /// How often the poses are clustered anew; at least 1.
  std::size_t trials = 5;
  ClusterOptions clusters = {};  ///< its seed is that of the first trial
  /// Whether to compare with groups of similar histograms, too, which takes time and memory by the
  /// square of the frames.
  bool agglomerative = false;
  SyntheticOptions queries = {};
};

/// Does it pay to group frames by where the camera was? Asks the same synthetic queries of d1, of
/// regular grouping ("regular"), of spectral clustering in SE(3) ("adaptive") and of translations
/// only ("parallax"); with `agglomerative` also of groups of similar histograms, by information
/// bottleneck ("bottleneck") and by Ward ("ward"), as many as there are regular ones, which do not
/// change with the trial. Metrics as synthetic_queries() has them, means over the trials, with
/// recall_low and recall_high beside recall; build_s, processor seconds that the grouping took,
/// largest_group and groups_of_one, how many frames are by themselves. A pass of the times is a
/// pass of a trial, so that low and high span the trials. Fact mean_group: frames per adaptive
/// group as it came out. Throws Error(invalid_argument) where poses and histograms differ in
/// number, or a histogram is empty.
LOOPTREE_EVALUATE_EXPORT EvaluationResult adaptive(std::span<const Histogram> database,
                                                   std::span<const Pose> poses,
                                                   const SyntheticQueries& queries,
                                                   const WordSpace& words,
                                                   const AdaptiveOptions& options = {});

}  // namespace looptree::evaluate
