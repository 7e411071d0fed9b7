// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/detail/sparseness.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

using Pattern = Eigen::SparseMatrix<float, Eigen::ColMajor, int>;

/// Of one pose against another.
constexpr std::size_t kBlockBytes = std::size_t{6} * 6 * sizeof(double);

/// Which poses have equations together.
Pattern pattern(const PoseGraph& graph, const std::vector<bool>& used) {
  std::vector<Eigen::Triplet<float, int>> entries;
  const auto add = [&](const PoseEdge& edge) {
    const auto a = static_cast<int>(edge.target);
    const auto b = static_cast<int>(edge.source);
    entries.emplace_back(a, b, 1.0F);
    entries.emplace_back(b, a, 1.0F);
  };
  for (const PoseEdge& edge : graph.odometry) add(edge);
  for (std::size_t i = 0; i < graph.closures.size(); ++i) {
    if (used[i]) add(graph.closures[i]);
  }
  const auto size = static_cast<int>(graph.vertices.size());
  for (int i = 0; i < size; ++i) entries.emplace_back(i, i, 1.0F);
  Pattern result(size, size);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

/// Blocks of the factor, row by row: those on the paths of the elimination tree that lead from the
/// entries of a row to the row itself. Ends beyond `limit`.
std::size_t count_blocks(const Pattern& matrix, const Eigen::VectorXi& vertex, std::size_t limit) {
  const auto size = static_cast<std::size_t>(matrix.cols());
  Eigen::VectorXi place(matrix.cols());
  for (int i = 0; i < matrix.cols(); ++i) place[vertex[i]] = i;
  std::vector<int> parent(size, -1);
  std::vector<int> seen(size, -1);
  std::size_t blocks = size;
  for (int row = 0; row < matrix.cols() && blocks <= limit; ++row) {
    seen[static_cast<std::size_t>(row)] = row;
    for (Pattern::InnerIterator entry(matrix, vertex[row]); entry; ++entry) {
      for (int at = place[entry.row()]; at < row && seen[static_cast<std::size_t>(at)] != row;) {
        seen[static_cast<std::size_t>(at)] = row;
        ++blocks;
        int& up = parent[static_cast<std::size_t>(at)];
        if (up < 0) up = row;
        at = up;
      }
    }
  }
  return blocks;
}

/// How far apart the ends of closures may lie that support each other.
constexpr std::size_t kReach = 20;

/// A square of so many frames by so many.
std::uint64_t cell(std::size_t target, std::size_t source) {
  return std::uint64_t{target / kReach} << 32 | source / kReach;
}

bool near(std::size_t a, std::size_t b) {
  return std::max(a, b) - std::min(a, b) <= kReach;
}

}  // namespace

std::size_t factor_bytes(const PoseGraph& graph, const std::vector<bool>& used, std::size_t limit) {
  const Pattern matrix = pattern(graph, used);
  Eigen::AMDOrdering<int>::PermutationType order;
  Eigen::AMDOrdering<int>()(matrix.selfadjointView<Eigen::Lower>(), order);
  return count_blocks(matrix, order.indices(), limit / kBlockBytes) * kBlockBytes;
}

std::vector<bool> supported_closures(const PoseGraph& graph) {
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> cells;
  const auto& closures = graph.closures;
  for (std::size_t i = 0; i < closures.size(); ++i) {
    cells[cell(closures[i].target, closures[i].source)].push_back(i);
  }
  const auto supports = [&](std::size_t i, std::uint64_t key) {
    const auto found = cells.find(key);
    if (found == cells.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](std::size_t other) {
      const PoseEdge& a = closures[i];
      const PoseEdge& b = closures[other];
      return other != i && (a.target != b.target || a.source != b.source) &&
             near(a.target, b.target) && near(a.source, b.source);
    });
  };
  std::vector<bool> result(closures.size());
  for (std::size_t i = 0; i < closures.size(); ++i) {
    const std::size_t target = closures[i].target + kReach;
    const std::size_t source = closures[i].source + kReach;
    for (std::size_t dt = 0; dt < 3 && !result[i]; ++dt) {
      for (std::size_t ds = 0; ds < 3 && !result[i]; ++ds) {
        const std::size_t t = target + dt * kReach;
        const std::size_t s = source + ds * kReach;
        if (t < 2 * kReach || s < 2 * kReach) continue;
        result[i] = supports(i, cell(t - 2 * kReach, s - 2 * kReach));
      }
    }
  }
  return result;
}

std::vector<bool> solvable_closures(const PoseGraph& graph, std::size_t limit) {
  std::vector<bool> used(graph.closures.size(), true);
  if (factor_bytes(graph, used, limit) <= limit) return used;
  used = supported_closures(graph);
  if (factor_bytes(graph, used, limit) <= limit) return used;
  const auto left = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
  throw Error(ErrorKind::invalid_argument,
              "expected closures along stretches driven twice, whose equations take at most " +
                  std::to_string(limit >> 20) + " MiB to solve, found " +
                  std::to_string(graph.closures.size()) + " closures between " +
                  std::to_string(graph.vertices.size()) + " vertices that take more, as do the " +
                  std::to_string(left) +
                  " of them that others support: leave out closures that are surely false, take "
                  "fewer keyframes, or raise OptimizeOptions::max_factor_bytes if the machine has "
                  "the memory");
}

}  // namespace looptree::detail
