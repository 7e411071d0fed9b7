// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/pose.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace looptree {

double distance(const Pose& a, const Pose& b) {
  return std::hypot(a.translation[0] - b.translation[0], a.translation[1] - b.translation[1],
                    a.translation[2] - b.translation[2]);
}

double angle_deg(const Pose& a, const Pose& b) {
  double trace = 0;  // of a' b
  for (std::size_t i = 0; i < 9; ++i) trace += a.rotation[i] * b.rotation[i];
  return std::acos(std::clamp((trace - 1) / 2, -1.0, 1.0)) * 180 / std::numbers::pi;
}

std::array<double, 4> quaternion(const std::array<double, 9>& r) {
  // Each component's square from the diagonal; the largest one is divided by, for accuracy.
  const std::array<double, 4> squares{1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                                      1 - r[0] - r[4] + r[8], 1 + r[0] + r[4] + r[8]};
  const auto largest = std::max_element(squares.begin(), squares.end()) - squares.begin();
  const double s = 2 * std::sqrt(squares[static_cast<std::size_t>(largest)]);
  std::array<double, 4> q{};
  switch (largest) {
    case 0:
      q = {s / 4, (r[1] + r[3]) / s, (r[2] + r[6]) / s, (r[7] - r[5]) / s};
      break;
    case 1:
      q = {(r[1] + r[3]) / s, s / 4, (r[5] + r[7]) / s, (r[2] - r[6]) / s};
      break;
    case 2:
      q = {(r[2] + r[6]) / s, (r[5] + r[7]) / s, s / 4, (r[3] - r[1]) / s};
      break;
    default:
      q = {(r[7] - r[5]) / s, (r[2] - r[6]) / s, (r[3] - r[1]) / s, s / 4};
      break;
  }
  if (q[3] < 0) {
    for (double& component : q) component = -component;
  }
  return q;
}

std::array<double, 9> rotation_of(const std::array<double, 4>& quaternion) {
  const double length = std::sqrt(quaternion[0] * quaternion[0] + quaternion[1] * quaternion[1] +
                                  quaternion[2] * quaternion[2] + quaternion[3] * quaternion[3]);
  const double x = quaternion[0] / length;
  const double y = quaternion[1] / length;
  const double z = quaternion[2] / length;
  const double w = quaternion[3] / length;
  return {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
          2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
          2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
}

}  // namespace looptree
