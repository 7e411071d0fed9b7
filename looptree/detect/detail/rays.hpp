// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <opencv2/core.hpp>

#include "looptree/common/camera.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/features/features.hpp"

namespace looptree::detail {

/// Where a keypoint is, one metre ahead of the camera, its lens undone: (x, y, 1).
inline cv::Vec3d ray_of(const Keypoint& point, const Calibration& camera) {
  const auto [x, y] = undistort(camera, {point.x, point.y});
  return {(x - camera.cx) / camera.fx, (y - camera.cy) / camera.fy, 1};
}

/// The standard deviation of its x and y: keypoints of upper levels of the pyramid are less exact.
inline double ray_sigma(const Keypoint& point, const Calibration& camera, double sigma_px,
                        double octave_scale) {
  return sigma_px * std::pow(octave_scale, std::clamp(point.octave, 0, 20)) / camera.fx;
}

}  // namespace looptree::detail
