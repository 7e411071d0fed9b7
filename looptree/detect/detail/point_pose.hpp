// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <opencv2/core.hpp>

#include "looptree/common/pose.hpp"

namespace looptree::detail {

/// A point that two cameras see, `a` and `b`. Of the two depths one or both are known.
struct PointPair {
  cv::Vec3d ray_a;       ///< (x, y, 1): where it is seen, one metre ahead
  cv::Vec3d ray_b;       ///< the same in b
  double sigma_a = 0;    ///< of ray_a's x and y
  double sigma_b = 0;    ///< of ray_b's
  double inverse_a = 0;  ///< 1 / depth in a; 0: unknown
  double inverse_b = 0;  ///< 1 / depth in b
  double inverse_sigma_a = 0;
  double inverse_sigma_b = 0;
};

/// b_from_a and its 6 x 6 Hessian: x, y, z and rotation vector in the frame of a, as Information.
struct PointPose {
  cv::Matx33d rotation = cv::Matx33d::eye();
  cv::Vec3d translation;
  cv::Matx66d hessian;
  double variance = 1;                ///< of residuals, in units of what the sigmas say
  std::vector<std::uint8_t> inliers;  ///< per pair
  std::size_t inlier_count = 0;
};

/// Fits the pose to the pairs from where it stands, robustly: rounds of reweighting, the scale of
/// the residuals estimated in each. False if the pairs leave it open.
bool refine(PointPose& pose, const std::vector<PointPair>& pairs);

/// Half of the pairs' squared residuals in sigmas lie below this, for a pose that was not refined.
double median_squared_error(const PointPose& pose, const std::vector<PointPair>& pairs);

}  // namespace looptree::detail
