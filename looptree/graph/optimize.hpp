// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/common/progress.hpp"
#include "looptree/graph/pose_graph.hpp"
#include "looptree/graph_export.hpp"

namespace looptree {

/// What a closure that disagrees with the rest may do.
enum class RobustLoss {
  none,    ///< everything it wants: least squares, for closures that are known to be true
  cauchy,  ///< the less the more it disagrees
};

struct OptimizeOptions {
  /// Applies to closures; odometry is always believed as far as its information goes.
  RobustLoss loss = RobustLoss::cauchy;
  /// The error at which a closure counts half, in sigmas of its own information; above 0. The
  /// default is passed by 1 of 100 true closures if their information is honest (chi-square with 6
  /// degrees of freedom).
  double closure_scale = 4.1;
  /// Steps of the last solution at most, which starts from rough ones; at least 1.
  std::size_t max_iterations = 50;
  /// Memory for the factor of the equations, of which time follows, too. Closures between stretches
  /// driven twice keep it small, thousands that lie anywhere make it dense. Where all of them
  /// together need more, those that no other supports are left out at first, and those of them that
  /// agree with the map that comes out are taken in at the end. Above 0.
  std::size_t max_factor_bytes = std::size_t{2} << 30;
  ProgressCallback
      progress{};  ///< of the rounds of the robust solution; false stops with Error(cancelled)
};

/// How a closure came out.
struct ClosureFit {
  double squared_error = 0;  ///< chi-square: its error weighed with its information
  double weight = 1;         ///< what the loss left of it, in (0, 1]
  bool is_inlier = true;     ///< it counts at least half
};

struct OptimizedGraph {
  std::vector<Pose> poses;           ///< one per vertex; the first is where it was
  std::vector<ClosureFit> closures;  ///< one per closure of the graph
  double cost_before = 0;            ///< half the sum of squared errors, robust for closures...
  double cost_after = 0;             ///< ...where the loss is
  std::size_t iterations = 0;        ///< of all rounds
  bool converged = false;            ///< false: max_iterations ended it; poses are usable
  std::size_t left_out = 0;          ///< closures that did not take part, see max_factor_bytes
};

/// Moves the poses so that odometry and closures agree as well as they can. The first vertex stays;
/// other sessions are first brought beside it by the relative pose that most of their closures
/// agree on. A false closure does not bend the map: closures are weighed by Cauchy's loss, whose
/// scale starts where half of them fit the odometry and narrows from round to round
/// (graduated non-convexity), so that true ones pull before they have to be close.
///
/// Levenberg-Marquardt by Ceres, sparse Cholesky by SuiteSparse. One thread; the same input gives
/// the same answer on one machine. Cost: 100,000 vertices with 50,000 closures take seconds to tens
/// of seconds, see docs/graph.md.
///
/// Throws Error(invalid_argument) for a graph that check() refuses, without closures, or with a
/// vertex that no path of edges joins with the first (its session is named); for closures whose
/// equations are too large even without those that no other supports; for options out of range;
/// Error(cancelled) if `progress` says so.
LOOPTREE_GRAPH_EXPORT OptimizedGraph optimize(const PoseGraph& graph,
                                              const OptimizeOptions& options = {});

}  // namespace looptree
