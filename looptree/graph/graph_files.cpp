// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/graph_files.hpp"

#include <array>
#include <cmath>
#include <iomanip>
#include <string>

#include <Eigen/Eigenvalues>

#include "looptree/common/error.hpp"
#include "looptree/graph/detail/text_rows.hpp"

namespace looptree {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

Eigen::Map<const Matrix6> matrix_of(const Information& information) {
  return Eigen::Map<const Matrix6>(information.values.data());
}

void write_upper(std::ostream& out, const Matrix6& matrix) {
  for (int row = 0; row < 6; ++row) {
    for (int column = row; column < 6; ++column) out << ' ' << matrix(row, column);
  }
}

template <std::size_t N>
void write_numbers(std::ostream& out, const std::array<double, N>& values, char separator = ' ') {
  for (const double value : values) out << separator << value;
}

/// For both kinds of edges, in the order of the files.
template <typename Write>
void for_each_edge(const PoseGraph& graph, Write write) {
  for (const PoseEdge& edge : graph.odometry) write(edge, "odometry");
  for (const PoseEdge& edge : graph.closures) write(edge, "closure");
}

/// g2o's error counts a rotation by the vector part of its quaternion, which is half the angle.
Matrix6 as_g2o(const Information& information) {
  Eigen::Matrix<double, 6, 1> units;
  units << 1, 1, 1, 2, 2, 2;
  return units.asDiagonal() * matrix_of(information) * units.asDiagonal();
}

/// GTSAM puts the rotation first.
Matrix6 as_gtsam(const Information& information) {
  const auto m = matrix_of(information);
  Matrix6 result;
  result << m.bottomRightCorner<3, 3>(), m.bottomLeftCorner<3, 3>(), m.topRightCorner<3, 3>(),
      m.topLeftCorner<3, 3>();
  return result;
}

/// Roll, pitch and yaw: about x, then y, then z of the world.
std::array<double, 3> angles(const std::array<double, 9>& r) {
  return {std::atan2(r[7], r[8]), std::atan2(-r[6], std::hypot(r[7], r[8])),
          std::atan2(r[3], r[0])};
}

void write_sessions(std::ostream& out, const PoseGraph& graph, std::size_t vertex) {
  if (graph.vertices.front().session == graph.vertices.back().session) return;
  const std::uint32_t session = graph.vertices[vertex].session;
  if (vertex == 0 || session != graph.vertices[vertex - 1].session) {
    out << "# session " << session << '\n';
  }
}

}  // namespace

void write_g2o(const std::filesystem::path& path, const PoseGraph& graph) {
  std::ofstream file = detail::create_text(path);
  file << std::setprecision(12);
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
    const PoseVertex& vertex = graph.vertices[i];
    write_sessions(file, graph, i);
    file << "VERTEX_SE3:QUAT " << vertex.id;
    write_numbers(file, vertex.pose.translation);
    write_numbers(file, quaternion(vertex.pose.rotation));
    file << '\n';
  }
  if (!graph.vertices.empty()) file << "FIX " << graph.vertices.front().id << '\n';
  for_each_edge(graph, [&](const PoseEdge& edge, const char*) {
    file << "EDGE_SE3:QUAT " << graph.vertices[edge.target].id << ' '
         << graph.vertices[edge.source].id;
    write_numbers(file, edge.target_from_source.translation);
    write_numbers(file, quaternion(edge.target_from_source.rotation));
    write_upper(file, as_g2o(edge.information));
    file << '\n';
  });
  detail::close_text(file, path);
}

void write_gtsam(const std::filesystem::path& path, const PoseGraph& graph) {
  std::ofstream file = detail::create_text(path);
  file << std::setprecision(12);
  for (const PoseVertex& vertex : graph.vertices) {
    file << "VERTEX3 " << vertex.id;
    write_numbers(file, vertex.pose.translation);
    write_numbers(file, angles(vertex.pose.rotation));
    file << '\n';
  }
  for_each_edge(graph, [&](const PoseEdge& edge, const char*) {
    file << "EDGE3 " << graph.vertices[edge.target].id << ' ' << graph.vertices[edge.source].id;
    write_numbers(file, edge.target_from_source.translation);
    write_numbers(file, angles(edge.target_from_source.rotation));
    write_upper(file, as_gtsam(edge.information));
    file << '\n';
  });
  detail::close_text(file, path);
}

void write_graph_csv(const std::filesystem::path& folder, const PoseGraph& graph) {
  std::error_code none;  // what cannot be made cannot be written to either
  std::filesystem::create_directories(folder, none);
  std::ofstream vertices = detail::create_text(folder / "vertices.csv");
  vertices << "id,session,time_s,x,y,z,qx,qy,qz,qw\n" << std::setprecision(15);
  for (const PoseVertex& vertex : graph.vertices) {
    vertices << vertex.id << ',' << vertex.session << ',';
    if (vertex.time_s) vertices << *vertex.time_s;
    write_numbers(vertices, vertex.pose.translation, ',');
    write_numbers(vertices, quaternion(vertex.pose.rotation), ',');
    vertices << '\n';
  }
  detail::close_text(vertices, folder / "vertices.csv");
  std::ofstream edges = detail::create_text(folder / "edges.csv");
  edges << "kind,target,source,x,y,z,qx,qy,qz,qw";
  for (int i = 0; i < 36; ++i) edges << ",s" << i / 6 << i % 6;
  edges << '\n' << std::setprecision(15);
  for_each_edge(graph, [&](const PoseEdge& edge, const char* kind) {
    edges << kind << ',' << graph.vertices[edge.target].id << ',' << graph.vertices[edge.source].id;
    write_numbers(edges, edge.target_from_source.translation, ',');
    write_numbers(edges, quaternion(edge.target_from_source.rotation), ',');
    const Eigen::SelfAdjointEigenSolver<Matrix6> solver(matrix_of(edge.information));
    std::array<double, 36> root{};
    Eigen::Map<Matrix6>(root.data()) = solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
                                       solver.eigenvectors().transpose();
    write_numbers(edges, root, ',');
    edges << '\n';
  });
  detail::close_text(edges, folder / "edges.csv");
}

}  // namespace looptree
