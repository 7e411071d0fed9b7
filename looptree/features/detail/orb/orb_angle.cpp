// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/orb/orb_angle.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numbers>

namespace looptree::detail {
namespace {

constexpr float kDegrees = static_cast<float>(180 / std::numbers::pi);
constexpr float kOdd[4] = {0.9997878412794807F * kDegrees, -0.3258083974640975F * kDegrees,
                           0.1555786518463281F * kDegrees, -0.04432655554792128F * kDegrees};

/// The series of sine (first = 3) and cosine (first = 2) in x^2, from their second term on, for
/// |x| <= pi / 4: what is left out is below the last bit of a double.
double series(double x, int first) {
  const double square = x * x;
  double sum = 0;
  for (int n = first + 16; n >= first; n -= 2) sum = -square / (n * (n - 1)) * (1 + sum);
  return sum;
}

}  // namespace

float centroid_angle(int moment_y, int moment_x) {
  const float ax = std::abs(static_cast<float>(moment_x));
  const float ay = std::abs(static_cast<float>(moment_y));
  const float c = std::min(ax, ay) / (std::max(ax, ay) + static_cast<float>(DBL_EPSILON));
  const float square = c * c;
  float angle = (((kOdd[3] * square + kOdd[2]) * square + kOdd[1]) * square + kOdd[0]) * c;
  if (ax < ay) angle = 90.0F - angle;
  if (moment_x < 0) angle = 180.0F - angle;
  if (moment_y < 0) angle = 360.0F - angle;
  return angle < 360.0F ? angle : 0.0F;
}

Rotation rotation_of(float degrees) {
  // Radians are a float in ORB, so its rounding is part of the angle.
  const float radians = degrees * static_cast<float>(std::numbers::pi / 180.0F);
  const int quarter = static_cast<int>(static_cast<double>(radians) / (std::numbers::pi / 2) + 0.5);
  // The first 33 bits of pi / 2, whose multiples are exact, and the rest.
  const double x =
      (static_cast<double>(radians) - quarter * 0x1.921fb544p+0) - quarter * 0x1.0b4611a626331p-34;
  const double cosine = 1 + series(x, 2);
  const double sine = x * (1 + series(x, 3));
  const auto c = static_cast<float>(cosine);
  const auto s = static_cast<float>(sine);
  switch (quarter % 4) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

}  // namespace looptree::detail
