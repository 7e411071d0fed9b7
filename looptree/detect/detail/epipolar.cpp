// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/detail/epipolar.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "looptree/common/pose.hpp"

namespace looptree::detail {
namespace {

using Row = cv::Vec<double, 5>;
using Matrix = cv::Matx<double, 5, 5>;

constexpr int kRounds = 10;
constexpr int kInlierRounds = 3;   ///< the last of them, in which outliers have no say at all
constexpr double kMedian = 0.455;  ///< of chi-square with one degree of freedom
constexpr double kGate = 6.63;     ///< what 1 in 100 exceeds
constexpr double kLeastVariance = 0.05;
constexpr double kMostVariance = 6.25;  ///< sigmas may be off by a factor of 2.5

/// Two directions across a third.
std::array<cv::Vec3d, 2> across(const cv::Vec3d& direction) {
  const cv::Vec3d other = std::abs(direction[0]) < 0.7 ? cv::Vec3d(1, 0, 0) : cv::Vec3d(0, 1, 0);
  const cv::Vec3d first = cv::normalize(direction.cross(other));
  return {first, direction.cross(first)};
}

/// How far a pair is from its epipolar lines, in sigmas, and how that changes with the rotation
/// vector and with the direction.
struct Residual {
  double error = 0;
  Row slope;
};

Residual residual_of(const EpipolarPose& pose, const std::array<cv::Vec3d, 2>& basis,
                     const RayPair& pair) {
  const cv::Vec3d turned = pose.rotation * pair.a;
  const cv::Vec3d line_b = pose.direction.cross(turned);
  const cv::Vec3d line_a = pose.rotation.t() * pair.b.cross(pose.direction);
  const double scale =
      pair.sigma * std::sqrt(line_a[0] * line_a[0] + line_a[1] * line_a[1] + line_b[0] * line_b[0] +
                             line_b[1] * line_b[1] + 1e-18);
  const cv::Vec3d by_rotation = pair.a.cross(line_a);
  const cv::Vec3d by_direction = turned.cross(pair.b);
  Residual result;
  result.error = pair.b.dot(line_b) / scale;
  for (int i = 0; i < 3; ++i) result.slope[i] = by_rotation[i] / scale;
  result.slope[3] = by_direction.dot(basis[0]) / scale;
  result.slope[4] = by_direction.dot(basis[1]) / scale;
  return result;
}

double robust_variance(const std::vector<Residual>& residuals) {
  std::vector<double> squares;
  squares.reserve(residuals.size());
  for (const Residual& residual : residuals) squares.push_back(residual.error * residual.error);
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return std::max(*middle / kMedian, kLeastVariance);
}

void step(EpipolarPose& pose, const std::array<cv::Vec3d, 2>& basis, const Row& by) {
  const auto r = rotation_about({by[0], by[1], by[2]});
  pose.rotation = pose.rotation * cv::Matx33d(r.data());
  pose.direction = cv::normalize(pose.direction + by[3] * basis[0] + by[4] * basis[1]);
}

/// What remains of the rotation's information when the direction is free, too.
cv::Matx33d rotation_part(const Matrix& hessian) {
  bool solved = false;
  const Matrix covariance = hessian.inv(cv::DECOMP_CHOLESKY, &solved);
  return solved ? covariance.get_minor<3, 3>(0, 0).inv(cv::DECOMP_CHOLESKY) : cv::Matx33d::zeros();
}

}  // namespace

bool refine(EpipolarPose& pose, const std::vector<RayPair>& pairs) {
  if (pairs.size() < 8) return false;
  Matrix hessian;
  double variance = 1;
  for (int round = 0; round < kRounds; ++round) {
    const auto basis = across(pose.direction);
    std::vector<Residual> residuals;
    residuals.reserve(pairs.size());
    for (const RayPair& pair : pairs) residuals.push_back(residual_of(pose, basis, pair));
    variance = robust_variance(residuals);
    const double gate = kGate * std::clamp(variance, 1.0, kMostVariance);
    // From a rough start all are far off: then the middle one sets the scale.
    const double scale = round < kRounds - kInlierRounds ? std::max(gate, kGate * variance) : gate;
    hessian = Matrix::zeros();
    Row gradient = Row::all(0);
    pose.inliers.assign(pairs.size(), 0);
    pose.inlier_count = 0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      const auto& [error, slope] = residuals[i];
      const bool is_inlier = error * error <= gate;
      pose.inliers[i] = is_inlier ? 1 : 0;
      pose.inlier_count += is_inlier ? 1 : 0;
      double weight = 1 / (1 + 2 * error * error / scale);
      if (round >= kRounds - kInlierRounds) weight = is_inlier ? 1 : 0;
      hessian += weight * (slope * slope.t());
      gradient -= weight * error * slope;
    }
    Matrix damped = hessian;
    for (int k = 0; k < 5; ++k) damped(k, k) = damped(k, k) * (1 + 1e-4) + 1e-9;
    Row by;
    if (!cv::solve(damped, gradient, by, cv::DECOMP_CHOLESKY)) return false;
    if (!std::isfinite(cv::norm(by))) return false;
    step(pose, basis, by);
  }
  pose.rotation_information = rotation_part(hessian) * (1 / std::max(variance, kLeastVariance));
  return true;
}

}  // namespace looptree::detail
