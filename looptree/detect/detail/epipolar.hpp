// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <opencv2/core.hpp>

namespace looptree::detail {

/// One point as two cameras see it: (x, y, 1), and the standard deviation of x and y in both.
struct RayPair {
  cv::Vec3d a;
  cv::Vec3d b;
  double sigma = 0;
};

/// b_from_a up to the length of its translation.
struct EpipolarPose {
  cv::Matx33d rotation = cv::Matx33d::eye();
  cv::Vec3d direction;                ///< of length 1
  cv::Matx33d rotation_information;   ///< of the rotation vector in the frame of a
  std::vector<std::uint8_t> inliers;  ///< per pair
  std::size_t inlier_count = 0;
};

/// Fits rotation and direction to the pairs from where they stand: Gauss-Newton on distances from
/// epipolar lines (Sampson's), robustly. False if the pairs leave them open.
bool refine(EpipolarPose& pose, const std::vector<RayPair>& pairs);

}  // namespace looptree::detail
