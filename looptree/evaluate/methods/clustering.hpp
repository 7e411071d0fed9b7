// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/common/pose.hpp"
#include "looptree/evaluate_export.hpp"
#include "looptree/index/topology.hpp"

namespace looptree::evaluate {

struct ClusterOptions {
  /// How much turning counts beside moving; each is measured in units of its median between
  /// consecutive frames. 0 clusters places only: the paper's parallax-based grouping. >= 0.
  double rotation_weight = 1;
  /// Edges per frame of the similarity graph, to its nearest poses; at least 1.
  std::size_t neighbours = 20;
  /// Where k-means starts. Another seed gives slightly other groups: another trial.
  std::uint64_t seed = 1;
};

/// Adaptive groups: spectral clustering of poses in SE(3). A sparse graph joins each frame with the
/// poses nearest to it, weighted by how similar they are; its normalised cut into many groups is
/// found by cutting into a few and those again. Returns at most `groups` groups, numbered by first
/// frame, none empty. The same for the same seed on one machine; eigenvectors may differ in the
/// last bits, and so a frame at a border, between machines. Throws Error(invalid_argument) if
/// `groups` is 0 or above the number of poses, or for options out of range. Cost: quadratic in the
/// frames for the nearest poses (5000 frames: well below a second), sparse solves for the rest.
LOOPTREE_EVALUATE_EXPORT Groups cluster_poses(std::span<const Pose> poses, std::size_t groups,
                                              const ClusterOptions& options = {});

/// Regular groups of `size` neighbours in order, the last one perhaps smaller.
LOOPTREE_EVALUATE_EXPORT Groups regular_groups(std::size_t items, std::size_t size);

}  // namespace looptree::evaluate
