// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/detail/pose_error.hpp"

#include <Eigen/Eigenvalues>

namespace looptree::detail {

Vector7 parameters_of(const Pose& pose) {
  const auto q = quaternion(pose.rotation);
  Vector7 result;
  result << pose.translation[0], pose.translation[1], pose.translation[2], q[0], q[1], q[2], q[3];
  return result;
}

Pose pose_of(const Vector7& parameters) {
  return {rotation_of({parameters[3], parameters[4], parameters[5], parameters[6]}),
          {parameters[0], parameters[1], parameters[2]}};
}

Matrix6 square_root(const Information& information) {
  const Eigen::Map<const Matrix6> matrix(information.values.data());
  const Eigen::SelfAdjointEigenSolver<Matrix6> solver(matrix);
  return solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
         solver.eigenvectors().transpose();
}

}  // namespace looptree::detail
