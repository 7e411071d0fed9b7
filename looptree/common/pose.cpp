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

Pose compose(const Pose& a_from_b, const Pose& b_from_c) {
  Pose result;
  for (std::size_t row = 0; row < 3; ++row) {
    result.translation[row] = a_from_b.translation[row];
    for (std::size_t k = 0; k < 3; ++k) {
      result.translation[row] += a_from_b.rotation[3 * row + k] * b_from_c.translation[k];
    }
    for (std::size_t column = 0; column < 3; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        sum += a_from_b.rotation[3 * row + k] * b_from_c.rotation[3 * k + column];
      }
      result.rotation[3 * row + column] = sum;
    }
  }
  return result;
}

Pose inverse(const Pose& a_from_b) {
  Pose result;
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      result.rotation[3 * row + k] = a_from_b.rotation[3 * k + row];
      sum += a_from_b.rotation[3 * k + row] * a_from_b.translation[k];
    }
    result.translation[row] = -sum;
  }
  return result;
}

Pose relative_pose(const Pose& world_from_a, const Pose& world_from_b) {
  return compose(inverse(world_from_a), world_from_b);
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

std::array<double, 9> rotation_about(const std::array<double, 3>& vector) {
  const double angle = std::hypot(vector[0], vector[1], vector[2]);
  // sin(a/2)/a is smooth at 0, where a sine over a tiny angle is not.
  const double factor = angle < 1e-8 ? 0.5 : std::sin(angle / 2) / angle;
  return rotation_of(
      {vector[0] * factor, vector[1] * factor, vector[2] * factor, std::cos(angle / 2)});
}

}  // namespace looptree
