// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/pose_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <unordered_set>

#include <Eigen/Eigenvalues>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

constexpr double kRadians = std::numbers::pi / 180;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

bool is_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// A rotation up to what files with six digits keep of it.
bool is_rotation(const std::array<double, 9>& r) {
  using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> matrix(r.data());
  return (matrix * matrix.transpose() - Matrix::Identity()).norm() < 1e-3 &&
         matrix.determinant() > 0;
}

void check_pose(const Pose& pose, const std::string& whose) {
  if (!is_finite(pose.rotation) || !is_finite(pose.translation)) {
    refuse("expected finite numbers in the pose of " + whose + ", found NaN or infinity");
  }
  if (!is_rotation(pose.rotation)) {
    refuse("expected a rotation matrix in the pose of " + whose + ", found another matrix");
  }
}

void check_information(const Information& information, const std::string& whose) {
  using Matrix = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> matrix(information.values.data());
  if (!is_finite(information.values)) {
    refuse("expected finite numbers in the information of " + whose + ", found NaN or infinity");
  }
  const double scale = matrix.cwiseAbs().maxCoeff();
  if ((matrix - matrix.transpose()).cwiseAbs().maxCoeff() > 1e-6 * scale) {
    refuse("expected a symmetric information matrix in " + whose + ", found another");
  }
  if (scale == 0) {
    refuse("expected an information that says something in " + whose + ", found zeros only");
  }
  const Matrix scaled = matrix / scale;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled, Eigen::EigenvaluesOnly);
  if (solver.eigenvalues().minCoeff() < -1e-9) {
    refuse("expected an information matrix without negative eigenvalues in " + whose +
           ", found one");
  }
}

void check_edge(const PoseEdge& edge, const PoseGraph& graph, const std::string& name) {
  const std::size_t count = graph.vertices.size();
  if (edge.target >= count || edge.source >= count) {
    refuse("expected vertices below " + std::to_string(count) + " in " + name + ", found " +
           std::to_string(edge.target) + " and " + std::to_string(edge.source));
  }
  if (edge.target == edge.source) {
    refuse("expected two vertices in " + name + ", found " + std::to_string(edge.target) +
           " twice");
  }
  check_pose(edge.target_from_source, name);
  check_information(edge.information, name);
}

}  // namespace

std::size_t add_session(PoseGraph& graph, std::span<const Pose> poses,
                        std::span<const double> times_s, const OdometrySigmas& sigmas) {
  require(!poses.empty(), ErrorKind::invalid_argument, "expected poses for a session, found none");
  require(times_s.empty() || times_s.size() == poses.size(), ErrorKind::invalid_argument,
          "expected no times or one per pose, found another number of them");
  require(sigmas.translation > 0 && sigmas.rotation_deg > 0 && sigmas.min_translation > 0 &&
              sigmas.min_rotation_deg > 0,
          ErrorKind::invalid_argument, "expected sigmas above 0, found one that is not");
  const std::size_t first = graph.vertices.size();
  std::uint64_t id = 0;
  std::uint32_t session = 0;
  for (const PoseVertex& vertex : graph.vertices) {
    id = std::max(id, vertex.id + 1);
    session = std::max(session, vertex.session + 1);
  }
  for (std::size_t i = 0; i < poses.size(); ++i) {
    graph.vertices.push_back({id + i, session, poses[i]});
    if (!times_s.empty()) graph.vertices.back().time_s = times_s[i];
    if (i == 0) continue;
    const double way = std::sqrt(distance(poses[i - 1], poses[i]));
    graph.odometry.push_back(
        {first + i - 1, first + i, relative_pose(poses[i - 1], poses[i]),
         Information::from_sigmas(
             std::hypot(sigmas.translation * way, sigmas.min_translation),
             std::hypot(sigmas.rotation_deg * way, sigmas.min_rotation_deg) * kRadians)});
  }
  return first;
}

void check(const PoseGraph& graph) {
  std::unordered_set<std::uint64_t> ids;
  for (const PoseVertex& vertex : graph.vertices) {
    const std::string name = "vertex " + std::to_string(vertex.id);
    if (!ids.insert(vertex.id).second) refuse("expected one " + name + ", found two");
    check_pose(vertex.pose, name);
  }
  for (std::size_t i = 0; i < graph.odometry.size(); ++i) {
    check_edge(graph.odometry[i], graph, "odometry edge " + std::to_string(i));
  }
  for (std::size_t i = 0; i < graph.closures.size(); ++i) {
    check_edge(graph.closures[i], graph, "closure " + std::to_string(i));
  }
}

}  // namespace looptree
