// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/detail/point_pose.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace looptree::detail {
namespace {

using Row = cv::Vec<double, 6>;

constexpr int kRounds = 12;
constexpr int kInlierRounds = 4;  ///< the last of them, in which outliers have no say at all
/// Of chi-square with 2 and 3 degrees of freedom: the median, and what 1 in 100 exceeds.
constexpr double kMedian2 = 1.386;
constexpr double kMedian3 = 2.366;
constexpr double kGate2 = 9.21;
constexpr double kGate3 = 11.34;
/// Residuals cannot be smaller than rounding of coordinates makes them.
constexpr double kLeastVariance = 0.05;
/// Sigmas may be off by a factor of 2.5; what disagrees more is wrong and not rough.
constexpr double kMostVariance = 6.25;

cv::Matx33d cross_matrix(const cv::Vec3d& v) {
  return {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
}

cv::Matx33d rotation_by(const cv::Vec3d& v) {
  const auto r = rotation_about({v[0], v[1], v[2]});
  return {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]};
}

/// How a pair is off: two or three rows, each with its derivative, and the inverse of their
/// covariance.
struct Residual {
  int rows = 2;
  cv::Vec3d error;
  std::array<Row, 3> slope;
  cv::Matx33d weight;
  bool is_behind = false;

  double squared() const { return error.dot(weight * error); }
  double median() const { return rows == 3 ? kMedian3 : kMedian2; }
  double gate() const { return rows == 3 ? kGate3 : kGate2; }
};

/// A point of one camera, scaled by 1 / its depth, as the other sees it; how that changes with the
/// pose, with the place where it was seen and with 1 / depth.
struct Moved {
  cv::Vec3d point;
  std::array<cv::Vec3d, 6> by_pose;
  cv::Vec3d by_x;
  cv::Vec3d by_y;
  cv::Vec3d by_inverse;
};

void set_columns(std::array<cv::Vec3d, 6>& columns, int first, const cv::Matx33d& m) {
  for (int i = 0; i < 3; ++i) {
    columns[static_cast<std::size_t>(first + i)] = {m(0, i), m(1, i), m(2, i)};
  }
}

/// From a to b. The pose moves by R -> R exp(w), t -> t + R v.
Moved move_forward(const PointPose& pose, const PointPair& pair) {
  const cv::Matx33d& r = pose.rotation;
  Moved moved;
  moved.point = r * pair.ray_a + pair.inverse_a * pose.translation;
  set_columns(moved.by_pose, 0, pair.inverse_a * r);
  set_columns(moved.by_pose, 3, -1.0 * (r * cross_matrix(pair.ray_a)));
  moved.by_x = {r(0, 0), r(1, 0), r(2, 0)};
  moved.by_y = {r(0, 1), r(1, 1), r(2, 1)};
  moved.by_inverse = pose.translation;
  return moved;
}

/// From b to a.
Moved move_back(const PointPose& pose, const PointPair& pair) {
  const cv::Matx33d back = pose.rotation.t();
  Moved moved;
  moved.point = back * (pair.ray_b - pair.inverse_b * pose.translation);
  set_columns(moved.by_pose, 0, -pair.inverse_b * cv::Matx33d::eye());
  set_columns(moved.by_pose, 3, cross_matrix(moved.point));
  moved.by_x = {back(0, 0), back(1, 0), back(2, 0)};
  moved.by_y = {back(0, 1), back(1, 1), back(2, 1)};
  moved.by_inverse = -1.0 * (back * pose.translation);
  return moved;
}

/// The derivative of x / z, y / z and, where the point's 1 / depth here is `inverse` / z, of that.
std::array<double, 3> project_slope(const Moved& moved, const cv::Vec3d& change, double inverse,
                                    double inverse_change) {
  const cv::Vec3d& p = moved.point;
  const double z = p[2];
  return {(change[0] - p[0] / z * change[2]) / z, (change[1] - p[1] / z * change[2]) / z,
          (inverse_change - inverse / z * change[2]) / z};
}

/// What the uncertainty of the first camera's measurement does to the residual.
cv::Matx33d covariance(const Moved& moved, double inverse, double sigma_from,
                       double inverse_sigma_from, double sigma_to, double inverse_sigma_to) {
  cv::Matx33d result = cv::Matx33d::zeros();
  const auto add = [&](const std::array<double, 3>& slope, double sigma) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        result(i, j) +=
            slope[static_cast<std::size_t>(i)] * slope[static_cast<std::size_t>(j)] * sigma * sigma;
      }
    }
  };
  add(project_slope(moved, moved.by_x, inverse, 0), sigma_from);
  add(project_slope(moved, moved.by_y, inverse, 0), sigma_from);
  add(project_slope(moved, moved.by_inverse, inverse, 1), inverse_sigma_from);
  result(0, 0) += sigma_to * sigma_to;
  result(1, 1) += sigma_to * sigma_to;
  result(2, 2) += inverse_sigma_to * inverse_sigma_to;
  return result;
}

cv::Matx33d invert_upper(const cv::Matx33d& covariance) {
  const double a = covariance(0, 0);
  const double b = covariance(0, 1);
  const double d = covariance(1, 1);
  const double determinant = a * d - b * b;
  return {d / determinant, -b / determinant, 0, -b / determinant, a / determinant, 0, 0, 0, 0};
}

Residual residual_of(const PointPose& pose, const PointPair& pair) {
  const bool forward = pair.inverse_a > 0;
  const Moved moved = forward ? move_forward(pose, pair) : move_back(pose, pair);
  const double inverse = forward ? pair.inverse_a : pair.inverse_b;
  const cv::Vec3d& seen = forward ? pair.ray_b : pair.ray_a;
  Residual result;
  result.is_behind = moved.point[2] < 1e-3;
  if (result.is_behind) return result;
  const double z = moved.point[2];
  result.rows = forward && pair.inverse_b > 0 ? 3 : 2;
  result.error = {moved.point[0] / z - seen[0], moved.point[1] / z - seen[1],
                  result.rows == 3 ? inverse / z - pair.inverse_b : 0};
  for (std::size_t k = 0; k < 6; ++k) {
    const auto slope = project_slope(moved, moved.by_pose[k], inverse, 0);
    for (std::size_t row = 0; row < 3; ++row) result.slope[row][static_cast<int>(k)] = slope[row];
  }
  const cv::Matx33d noise = covariance(moved, inverse, forward ? pair.sigma_a : pair.sigma_b,
                                       forward ? pair.inverse_sigma_a : pair.inverse_sigma_b,
                                       forward ? pair.sigma_b : pair.sigma_a, pair.inverse_sigma_b);
  result.weight = result.rows == 3 ? noise.inv(cv::DECOMP_CHOLESKY) : invert_upper(noise);
  return result;
}

std::vector<Residual> residuals_of(const PointPose& pose, const std::vector<PointPair>& pairs) {
  std::vector<Residual> result;
  result.reserve(pairs.size());
  for (const PointPair& pair : pairs) result.push_back(residual_of(pose, pair));
  return result;
}

/// The variance of residuals, from the middle one among those that count.
double robust_variance(const std::vector<Residual>& residuals,
                       const std::vector<std::uint8_t>& counts) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (!residuals[i].is_behind && (counts.empty() || counts[i] != 0)) {
      ratios.push_back(residuals[i].squared() / residuals[i].median());
    }
  }
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return std::max(*middle, kLeastVariance);
}

/// Normal equations of weighted residuals; the weight of each pair is Cauchy's, with the gate for
/// its scale, or, late, 1 for inliers and 0 for others.
struct Normal {
  cv::Matx66d hessian = cv::Matx66d::zeros();
  Row gradient = Row::all(0);

  void add(const Residual& residual, double weight) {
    for (int i = 0; i < residual.rows; ++i) {
      for (int j = 0; j < residual.rows; ++j) {
        const double w = weight * residual.weight(i, j);
        if (w == 0) continue;
        const Row& a = residual.slope[static_cast<std::size_t>(i)];
        const Row& b = residual.slope[static_cast<std::size_t>(j)];
        for (int k = 0; k < 6; ++k) {
          gradient[k] -= w * a[k] * residual.error[j];
          for (int l = 0; l < 6; ++l) hessian(k, l) += w * a[k] * b[l];
        }
      }
    }
  }
};

void step(PointPose& pose, const Row& by) {
  pose.translation += pose.rotation * cv::Vec3d(by[0], by[1], by[2]);
  pose.rotation = pose.rotation * rotation_by({by[3], by[4], by[5]});
}

double gate_variance(const PointPose& pose) {
  return std::clamp(pose.variance, 1.0, kMostVariance);
}

void mark_inliers(PointPose& pose, const std::vector<Residual>& residuals) {
  pose.inliers.assign(residuals.size(), 0);
  pose.inlier_count = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (residuals[i].is_behind ||
        residuals[i].squared() > residuals[i].gate() * gate_variance(pose)) {
      continue;
    }
    pose.inliers[i] = 1;
    ++pose.inlier_count;
  }
}

/// The mean over the inliers, for the degrees of freedom that are left: what the middle one says is
/// too little where errors have long tails.
double inlier_variance(const PointPose& pose, const std::vector<Residual>& residuals) {
  double sum = 0;
  double rows = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (pose.inliers[i] == 0) continue;
    sum += residuals[i].squared();
    rows += residuals[i].rows;
  }
  return rows > 6 ? std::max(sum / (rows - 6), kLeastVariance) : 1;
}

}  // namespace

double median_squared_error(const PointPose& pose, const std::vector<PointPair>& pairs) {
  return robust_variance(residuals_of(pose, pairs), {});
}

bool refine(PointPose& pose, const std::vector<PointPair>& pairs) {
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Residual> residuals = residuals_of(pose, pairs);
    const bool hard = round >= kRounds - kInlierRounds;
    pose.variance = robust_variance(residuals, {});
    mark_inliers(pose, residuals);
    Normal normal;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      const Residual& residual = residuals[i];
      if (residual.is_behind || (hard && pose.inliers[i] == 0)) continue;
      const double scale = residual.gate() * gate_variance(pose) / 2;
      normal.add(residual, hard ? 1 : 1 / (1 + residual.squared() / scale));
    }
    cv::Matx66d damped = normal.hessian;
    for (int k = 0; k < 6; ++k) damped(k, k) *= 1 + 1e-6;
    Row by;
    if (!cv::solve(damped, normal.gradient, by, cv::DECOMP_CHOLESKY)) return false;
    step(pose, by);
    if (!std::isfinite(cv::norm(pose.translation))) return false;
    pose.hessian = normal.hessian;
  }
  const std::vector<Residual> residuals = residuals_of(pose, pairs);
  mark_inliers(pose, residuals);
  pose.variance = inlier_variance(pose, residuals);
  return true;
}

}  // namespace looptree::detail
