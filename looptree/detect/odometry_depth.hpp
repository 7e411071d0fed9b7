// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/detect/matching.hpp"
#include "looptree/features/features.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// What one camera that knows how it moved can tell of depth.
struct OdometryDepthOptions {
  MatchingOptions matching{};
  /// As MetricPoseOptions has them.
  double keypoint_sigma_px = 0.7;
  double octave_scale = 1.2;
  /// A depth is known if 1 / depth is off by this part of it at most (one sigma); above 0.
  double max_relative_sigma = 0.15;
  /// Correspondences between two neighbours that agree with their movement, at least; at least 8.
  std::size_t min_inliers = 30;
};

/// A frame, and where odometry says it was taken, world_from_camera.
struct PosedFeatures {
  const Features* features = nullptr;
  Pose pose{};
};

/// Per keypoint 1 / depth, 0 where unknown, and its standard deviation, in the unit of the poses.
struct PointDepths {
  std::vector<float> inverse_depths;
  std::vector<float> sigmas;
  std::size_t known = 0;
};

/// Triangulates the keypoints of a frame with those of its neighbours. Odometry says how far the
/// camera went between them; its rotation, and the direction it went in, which odometry knows less
/// well than two images do, are fitted to the correspondences first. Nothing is known where the
/// movement is too short for the depth, along the direction it went in, or of what moves itself.
/// Depths of several neighbours are averaged. Throws Error(invalid_argument) for features or
/// options out of contract. Threads: free. Cost: match_descriptors() per neighbour.
LOOPTREE_VISION_EXPORT PointDepths inverse_depths_from_odometry(
    const PosedFeatures& frame, std::span<const PosedFeatures> neighbours,
    const Calibration& calibration, const OdometryDepthOptions& options = {});

}  // namespace looptree
