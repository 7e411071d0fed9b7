// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "looptree/common/pose.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// How sure a relative pose is: the inverse of its covariance, 6 x 6, symmetric, row by row. The
/// error it weighs is that of the source's frame: first x, y, z in metres, then the rotation vector
/// in radians. g2o files count rotations in half radians; readers and writers convert.
struct Information {
  std::array<double, 36> values{};
  double operator()(std::size_t row, std::size_t column) const { return values[6 * row + column]; }
  double& operator()(std::size_t row, std::size_t column) { return values[6 * row + column]; }
  friend bool operator==(const Information&, const Information&) = default;

  /// Independent errors, alike in all directions; both above 0.
  LOOPTREE_EXPORT static Information from_sigmas(double translation_m, double rotation_rad);
};

/// A pose with length that was measured, and how sure it is: target_from_source, where the
/// information is that of the source's frame.
struct MeasuredPose {
  Pose pose{};
  Information information{};
  friend bool operator==(const MeasuredPose&, const MeasuredPose&) = default;
};

}  // namespace looptree
