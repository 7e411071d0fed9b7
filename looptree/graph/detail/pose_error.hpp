// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "looptree/graph/pose_graph.hpp"

namespace looptree::detail {

using Vector7 = Eigen::Matrix<double, 7, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// A pose as Ceres moves it: translation, then quaternion (x, y, z, w).
Vector7 parameters_of(const Pose& pose);
Pose pose_of(const Vector7& parameters);

/// S with S'S = information, for any matrix without negative eigenvalues.
Matrix6 square_root(const Information& information);

/// What an edge says against two poses, in sigmas: the measured pose of the source against the one
/// that follows from both, as g2o defines it, weighed with the root of the information.
class PoseError {
 public:
  explicit PoseError(const PoseEdge& edge)
      : source_from_target_(inverse(edge.target_from_source)),
        root_(square_root(edge.information)) {
    const auto q = quaternion(source_from_target_.rotation);
    rotation_ = Eigen::Quaterniond(q[3], q[0], q[1], q[2]);
    translation_ = Eigen::Map<const Eigen::Vector3d>(source_from_target_.translation.data());
  }

  template <typename T>
  bool operator()(const T* target, const T* source, T* residuals) const {
    using Vector = Eigen::Matrix<T, 3, 1>;
    using Quaternion = Eigen::Quaternion<T>;
    const Quaternion target_from_world = Eigen::Map<const Quaternion>(target + 3).conjugate();
    const Vector moved = Eigen::Map<const Vector>(source) - Eigen::Map<const Vector>(target);
    const Quaternion measured = rotation_.template cast<T>();
    const Quaternion turned =
        measured * target_from_world * Eigen::Map<const Quaternion>(source + 3);
    Eigen::Matrix<T, 6, 1> error;
    error.template head<3>() =
        measured * (target_from_world * moved) + translation_.template cast<T>();
    // A quaternion and its negative are one rotation: take the one that turns less.
    const T twice = turned.w() < T(0) ? T(-2) : T(2);
    error.template tail<3>() = twice * turned.vec();
    Eigen::Map<Eigen::Matrix<T, 6, 1>> result(residuals);
    result = root_.template cast<T>() * error;
    return true;
  }

 private:
  Pose source_from_target_;
  Eigen::Quaterniond rotation_;
  Eigen::Vector3d translation_;
  Matrix6 root_;
};

}  // namespace looptree::detail
