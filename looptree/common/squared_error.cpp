// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/squared_error.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace looptree {
namespace {

/// The error in the frame of the source, as Information weighs it: metres, then radians.
std::array<double, 6> error_of(const Pose& found, const Pose& truth) {
  const Pose error = compose(inverse(found), truth);
  const auto q = quaternion(error.rotation);
  const double sine = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  const double scale = sine > 1e-12 ? 2 * std::atan2(sine, q[3]) / sine : 2;
  return {error.translation[0], error.translation[1], error.translation[2],
          scale * q[0],         scale * q[1],         scale * q[2]};
}

}  // namespace

double squared_error(const MeasuredPose& measured, const Pose& truth) {
  const auto e = error_of(measured.pose, truth);
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) sum += e[i] * measured.information(i, j) * e[j];
  }
  return sum;
}

}  // namespace looptree
