// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/common/pose.hpp"
#include "looptree/evaluate/clustering.hpp"
#include "looptree/evaluate/synthetic_queries.hpp"
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
  SyntheticOptions queries = {};
};

/// Does it pay to group frames by where the camera was? Asks the same synthetic queries of d1, of
/// regular grouping ("regular"), of spectral clustering in SE(3) ("adaptive") and of translations
/// only ("parallax"). Metrics as synthetic_queries() has them, means over the trials, with
/// recall_low and recall_high beside recall; a pass of the times is a pass of a trial, so that low
/// and high span the trials. Fact mean_group: frames per adaptive group as it came out. Throws
/// Error(invalid_argument) where poses and histograms differ in number, or a histogram is empty.
LOOPTREE_EVALUATE_EXPORT EvaluationResult adaptive(std::span<const Histogram> database,
                                                   std::span<const Pose> poses,
                                                   const SyntheticQueries& queries,
                                                   const WordSpace& words,
                                                   const AdaptiveOptions& options = {});

}  // namespace looptree::evaluate
