// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/trajectory_error.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

using Positions = Eigen::Matrix3Xd;
using Rotation = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Positions positions_of(std::span<const Pose> poses) {
  Positions result(3, static_cast<Eigen::Index>(poses.size()));
  for (std::size_t i = 0; i < poses.size(); ++i) {
    result.col(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::Vector3d>(poses[i].translation.data());
  }
  return result;
}

void require_pairs(std::span<const Pose> reference, std::span<const Pose> estimate) {
  require(reference.size() == estimate.size() && !reference.empty(), ErrorKind::invalid_argument,
          "expected as many poses of the estimate as of the reference, found other numbers");
}

ErrorStatistics statistics(std::vector<double> errors) {
  const auto n = static_cast<double>(errors.size());
  ErrorStatistics result;
  double squares = 0;
  for (const double error : errors) {
    result.mean += error / n;
    squares += error * error / n;
  }
  result.rmse = std::sqrt(squares);
  double variance = 0;
  for (const double error : errors) variance += std::pow(error - result.mean, 2) / n;
  result.std = std::sqrt(variance);
  std::sort(errors.begin(), errors.end());
  const std::size_t half = errors.size() / 2;
  result.median = errors.size() % 2 == 1 ? errors[half] : (errors[half - 1] + errors[half]) / 2;
  result.min = errors.front();
  result.max = errors.back();
  return result;
}

}  // namespace

Similarity align(std::span<const Pose> reference, std::span<const Pose> estimate, bool with_scale) {
  require_pairs(reference, estimate);
  require(reference.size() >= 3, ErrorKind::invalid_argument,
          "expected at least 3 poses to align, found fewer");
  const Positions target = positions_of(reference);
  const Positions source = positions_of(estimate);
  const Eigen::Vector3d target_mean = target.rowwise().mean();
  const Eigen::Vector3d source_mean = source.rowwise().mean();
  const Positions centred = source.colwise() - source_mean;
  const auto n = static_cast<double>(reference.size());
  const Eigen::Matrix3d covariance = (target.colwise() - target_mean) * centred.transpose() / n;
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(covariance,
                                              Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Vector3d d = svd.singularValues();
  require(d[1] > 1e-12 * std::max(1e-300, d[0]), ErrorKind::invalid_argument,
          "expected positions that are not all on one line, found that they are");
  Eigen::Vector3d sign(1, 1, 1);
  if (svd.matrixU().determinant() * svd.matrixV().determinant() < 0) sign[2] = -1;
  const Rotation rotation = svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
  Similarity result;
  if (with_scale) result.scale = d.dot(sign) / (centred.squaredNorm() / n);
  Eigen::Map<Rotation>(result.reference_from_estimate.rotation.data()) = rotation;
  Eigen::Map<Eigen::Vector3d>(result.reference_from_estimate.translation.data()) =
      target_mean - result.scale * rotation * source_mean;
  return result;
}

std::vector<Pose> transform_poses(const Similarity& similarity, std::span<const Pose> poses) {
  std::vector<Pose> result;
  for (Pose pose : poses) {
    for (double& value : pose.translation) value *= similarity.scale;
    result.push_back(compose(similarity.reference_from_estimate, pose));
  }
  return result;
}

ErrorStatistics absolute_error(std::span<const Pose> reference, std::span<const Pose> estimate,
                               Alignment alignment) {
  require_pairs(reference, estimate);
  std::vector<Pose> aligned(estimate.begin(), estimate.end());
  if (alignment != Alignment::none) {
    aligned =
        transform_poses(align(reference, estimate, alignment == Alignment::similarity), estimate);
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < aligned.size(); ++i) {
    errors.push_back(distance(reference[i], aligned[i]));
  }
  return statistics(std::move(errors));
}

RelativeError relative_error(std::span<const Pose> reference, std::span<const Pose> estimate,
                             std::size_t delta) {
  require_pairs(reference, estimate);
  require(delta >= 1 && delta < reference.size(), ErrorKind::invalid_argument,
          "expected a delta of at least 1 frame that fits into the trajectory, found another");
  std::vector<double> metres;
  std::vector<double> degrees;
  for (std::size_t i = 0; i + delta < reference.size(); i += delta) {
    const Pose wanted = relative_pose(reference[i], reference[i + delta]);
    const Pose error = relative_pose(wanted, relative_pose(estimate[i], estimate[i + delta]));
    metres.push_back(distance(error, {}));
    degrees.push_back(angle_deg(error, {}));
  }
  return {statistics(std::move(metres)), statistics(std::move(degrees))};
}

}  // namespace looptree
