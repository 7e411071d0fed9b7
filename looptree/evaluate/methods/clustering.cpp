// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/methods/clustering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Spectra/MatOp/SparseSymShiftSolve.h>
#include <Spectra/SymEigsShiftSolver.h>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/common/random.hpp"
#include "looptree/evaluate/metrics.hpp"
#include "looptree/index/grouping.hpp"

namespace looptree::evaluate {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

/// More eigenvectors at once cost more than they bring; larger numbers of groups are reached by
/// cutting again.
constexpr std::size_t kMaxCut = 24;
constexpr int kMeansRounds = 25;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

double squared_move(const Pose& a, const Pose& b) {
  const double d = distance(a, b);
  return d * d;
}

/// The squared chord of the turn, 2 (1 - cos): its squared angle while small, and no arc cosine.
double squared_turn(const Pose& a, const Pose& b) {
  double trace = 0;
  for (std::size_t i = 0; i < 9; ++i) trace += a.rotation[i] * b.rotation[i];
  return std::max(0.0, 3 - trace);
}

/// Squared distance of two poses, in which a typical step of the route is 1 per component.
class PoseMetric {
 public:
  PoseMetric(std::span<const Pose> poses, double rotation_weight) {
    std::vector<double> moves;
    std::vector<double> turns;
    for (std::size_t i = 1; i < poses.size(); ++i) {
      moves.push_back(squared_move(poses[i - 1], poses[i]));
      turns.push_back(squared_turn(poses[i - 1], poses[i]));
    }
    move_scale_ = scale(std::move(moves));
    turn_scale_ = scale(std::move(turns)) * rotation_weight;
  }

  double operator()(const Pose& a, const Pose& b) const {
    return squared_move(a, b) * move_scale_ + squared_turn(a, b) * turn_scale_;
  }

 private:
  /// A camera that never moves, or never turns, leaves that component out.
  static double scale(std::vector<double> squares) {
    const double typical = summarize(std::move(squares)).median;
    return typical > 1e-18 ? 1 / typical : 0;
  }
  double move_scale_ = 0;
  double turn_scale_ = 0;
};

/// For each frame the frames nearest in pose, itself left out.
std::vector<std::vector<std::pair<double, int>>> nearest(std::span<const Pose> poses,
                                                         const PoseMetric& metric,
                                                         std::size_t count) {
  std::vector<std::vector<std::pair<double, int>>> result(poses.size());
  parallel_for(poses.size(), 0, [&](std::size_t i) {
    std::vector<std::pair<double, int>>& row = result[i];
    for (std::size_t j = 0; j < poses.size(); ++j) {
      if (j != i) row.emplace_back(metric(poses[i], poses[j]), static_cast<int>(j));
    }
    const std::size_t kept = std::min(count, row.size());
    std::partial_sort(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(kept), row.end());
    row.resize(kept);
    row.shrink_to_fit();
  });
  return result;
}

/// Symmetric similarities. Poses half a group apart along a steady route are e^-1/2 similar.
Sparse similarity_graph(std::span<const Pose> poses, double group_size,
                        const ClusterOptions& options) {
  const PoseMetric metric(poses, options.rotation_weight);
  const double width = std::max(1.0, group_size / 2);
  const auto weight = [&](double squared) {
    // Never quite 0: consecutive frames stay joined across a jump, if hardly.
    return std::max(1e-6, std::exp(-squared / (2 * width * width)));
  };
  Triplets edges;
  const auto rows = nearest(poses, metric, options.neighbours);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<int>(i);
    for (const auto& [squared, j] : rows[i]) {
      edges.emplace_back(row, j, weight(squared));
      edges.emplace_back(j, row, weight(squared));
    }
    if (i == 0) continue;
    const double step = weight(metric(poses[i - 1], poses[i]));
    edges.emplace_back(row, row - 1, step);
    edges.emplace_back(row - 1, row, step);
  }
  const auto size = static_cast<Eigen::Index>(poses.size());
  Sparse graph(size, size);
  graph.setFromTriplets(edges.begin(), edges.end(),
                        [](double a, double b) { return std::max(a, b); });
  return graph;
}

/// The part of the graph between `nodes`, renumbered in their order.
Sparse subgraph(const Sparse& graph, const std::vector<int>& nodes) {
  std::vector<int> position(static_cast<std::size_t>(graph.rows()), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    position[static_cast<std::size_t>(nodes[i])] = static_cast<int>(i);
  }
  Triplets edges;
  for (const int node : nodes) {
    for (Sparse::InnerIterator edge(graph, node); edge; ++edge) {
      const int other = position[static_cast<std::size_t>(edge.row())];
      if (other >= 0)
        edges.emplace_back(other, position[static_cast<std::size_t>(node)], edge.value());
    }
  }
  const auto size = static_cast<Eigen::Index>(nodes.size());
  Sparse part(size, size);
  part.setFromTriplets(edges.begin(), edges.end());
  return part;
}

/// I - D^-1/2 W D^-1/2; a node without edges is its own component.
Sparse normalized_laplacian(const Sparse& graph) {
  Eigen::VectorXd scale = graph * Eigen::VectorXd::Ones(graph.cols());
  for (double& degree : scale) degree = degree > 0 ? 1 / std::sqrt(degree) : 0;
  Sparse laplacian(graph.rows(), graph.cols());
  laplacian.setIdentity();
  return laplacian - Sparse(scale.asDiagonal() * graph * scale.asDiagonal());
}

/// One row per node: its place in the `dimensions` smoothest eigenvectors, on the unit sphere.
Eigen::MatrixXd spectral_embedding(const Sparse& graph, std::size_t dimensions) {
  const Sparse laplacian = normalized_laplacian(graph);
  const auto wanted = static_cast<Eigen::Index>(dimensions);
  Eigen::MatrixXd rows;
  // Lanczos needs room; small graphs are solved whole.
  if (laplacian.rows() < 4 * wanted + 20) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(laplacian)};
    rows = solver.eigenvectors().leftCols(wanted);
  } else {
    // Shifted below 0 the matrix is positive definite, and the smallest eigenvalues, which crowd
    // near 0 on a long route, are far apart once inverted.
    Spectra::SparseSymShiftSolve<double> inverse(laplacian);
    Spectra::SymEigsShiftSolver<Spectra::SparseSymShiftSolve<double>> solver(
        inverse, wanted, 2 * wanted + 10, -1e-4);
    solver.init();
    solver.compute(Spectra::SortRule::LargestMagn, 300, 1e-6);
    require(solver.info() == Spectra::CompInfo::Successful, ErrorKind::unsupported,
            "expected the eigenvectors of the pose graph to converge, found that they did not");
    rows = solver.eigenvectors();
  }
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double length = rows.row(i).norm();
    if (length > 0) rows.row(i) /= length;
  }
  return rows;
}

/// Starting centres far from each other: each next one drawn by squared distance to the nearest.
Eigen::MatrixXd first_centres(const Eigen::MatrixXd& points, std::size_t count, Random& random) {
  Eigen::MatrixXd centres(static_cast<Eigen::Index>(count), points.cols());
  centres.row(0) = points.row(static_cast<Eigen::Index>(random.below(points.rows())));
  Eigen::VectorXd gaps = (points.rowwise() - centres.row(0)).rowwise().squaredNorm();
  for (Eigen::Index c = 1; c < centres.rows(); ++c) {
    double rest = random.uniform() * gaps.sum();
    Eigen::Index chosen = 0;
    while (chosen + 1 < gaps.size() && (rest -= gaps[chosen]) > 0) ++chosen;
    centres.row(c) = points.row(chosen);
    gaps = gaps.cwiseMin((points.rowwise() - centres.row(c)).rowwise().squaredNorm());
  }
  return centres;
}

std::vector<std::size_t> k_means(const Eigen::MatrixXd& points, std::size_t count, Random& random) {
  Eigen::MatrixXd centres = first_centres(points, count, random);
  std::vector<std::size_t> cluster(static_cast<std::size_t>(points.rows()));
  for (int round = 0; round < kMeansRounds; ++round) {
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(centres.rows(), centres.cols());
    Eigen::VectorXd members = Eigen::VectorXd::Zero(centres.rows());
    bool moved = false;
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
      Eigen::Index best = 0;
      (centres.rowwise() - points.row(i)).rowwise().squaredNorm().minCoeff(&best);
      std::size_t& own = cluster[static_cast<std::size_t>(i)];
      moved = moved || round == 0 || own != static_cast<std::size_t>(best);
      own = static_cast<std::size_t>(best);
      sums.row(best) += points.row(i);
      members[best] += 1;
    }
    if (!moved) break;
    for (Eigen::Index c = 0; c < centres.rows(); ++c) {
      if (members[c] > 0) centres.row(c) = sums.row(c) / members[c];
    }
  }
  return cluster;
}

/// How many of `groups` each part gets: by size, at least one, never more than it has nodes.
std::vector<std::size_t> allot(const std::vector<std::vector<int>>& parts, std::size_t groups) {
  std::vector<std::size_t> shares(parts.size(), 1);
  for (std::size_t given = parts.size(); given < groups; ++given) {
    std::size_t neediest = parts.size();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (shares[p] >= parts[p].size()) continue;
      if (neediest == parts.size() ||
          parts[p].size() * shares[neediest] > parts[neediest].size() * shares[p]) {
        neediest = p;
      }
    }
    if (neediest == parts.size()) break;
    ++shares[neediest];
  }
  return shares;
}

/// Cuts `nodes` into up to `groups` groups and labels them from `next` on.
void cut(const Sparse& graph, const std::vector<int>& nodes, std::size_t groups, Random& random,
         std::vector<std::uint32_t>& labels, std::uint32_t& next) {
  std::vector<std::vector<int>> parts;
  if (groups > 1 && nodes.size() > 1) {
    const std::size_t pieces =
        groups <= kMaxCut
            ? groups
            : std::min(kMaxCut,
                       static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(groups)))));
    parts.resize(pieces);
    const auto cluster =
        k_means(spectral_embedding(subgraph(graph, nodes), pieces), pieces, random);
    for (std::size_t i = 0; i < nodes.size(); ++i) parts[cluster[i]].push_back(nodes[i]);
    std::erase_if(parts, [](const std::vector<int>& part) { return part.empty(); });
  }
  if (parts.size() < 2) {  // a single group, or nodes that nothing tells apart
    for (const int node : nodes) labels[static_cast<std::size_t>(node)] = next;
    ++next;
    return;
  }
  const std::vector<std::size_t> shares = allot(parts, groups);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    cut(graph, parts[p], shares[p], random, labels, next);
  }
}

}  // namespace

Groups cluster_poses(std::span<const Pose> poses, std::size_t groups,
                     const ClusterOptions& options) {
  if (groups == 0 || groups > poses.size()) {
    refuse("expected from 1 to " + std::to_string(poses.size()) +
           " groups, the number of poses; found " + std::to_string(groups));
  }
  if (options.neighbours == 0) refuse("expected at least 1 neighbour, found 0");
  if (!(options.rotation_weight >= 0) || std::isinf(options.rotation_weight)) {
    refuse("expected a rotation weight >= 0, found " + std::to_string(options.rotation_weight));
  }
  const double group_size = static_cast<double>(poses.size()) / static_cast<double>(groups);
  const Sparse graph = similarity_graph(poses, group_size, options);
  std::vector<int> nodes(poses.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  std::vector<std::uint32_t> labels(poses.size());
  Random random(options.seed);
  std::uint32_t next = 0;
  cut(graph, nodes, groups, random, labels, next);
  return label_groups(labels);
}

Groups regular_groups(std::size_t items, std::size_t size) {
  if (size == 0) refuse("expected groups of at least one item, found 0");
  Groups groups(items);
  for (std::size_t i = 0; i < items; ++i) groups[i] = static_cast<std::uint32_t>(i / size);
  return groups;
}

}  // namespace looptree::evaluate
