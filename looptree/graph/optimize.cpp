// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/optimize.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <ceres/ceres.h>

#include "looptree/common/error.hpp"
#include "looptree/graph/detail/place_sessions.hpp"
#include "looptree/graph/detail/pose_error.hpp"
#include "looptree/graph/detail/quiet_ceres.hpp"
#include "looptree/graph/detail/sparseness.hpp"

namespace looptree {
namespace {

using detail::PoseError;
using detail::Vector7;

/// Rounds narrow the loss by this factor, each with so many steps: enough to follow, no more.
constexpr double kNarrowing = 4;
constexpr int kRoughSteps = 6;
/// A solution ends once a step lowers the cost by no more than this part of it.
constexpr double kRoughTolerance = 1e-3;
constexpr double kFineTolerance = 1e-7;

using CostFunction = ceres::AutoDiffCostFunction<PoseError, 6, 7, 7>;
using PoseManifold =
    ceres::ProductManifold<ceres::EuclideanManifold<3>, ceres::EigenQuaternionManifold>;

/// The least-squares problem over all poses. The scale of its loss may change between solutions.
class Problem {
 public:
  /// Of the closures that are used; others may join them later.
  Problem(const PoseGraph& graph, const OptimizeOptions& options, const std::vector<bool>& used)
      : graph_(graph),
        is_robust_(options.loss == RobustLoss::cauchy),
        loss_(nullptr, ceres::TAKE_OWNERSHIP),
        problem_(borrowing()) {
    for (const Pose& pose : detail::place_sessions(graph)) {
      parameters_.push_back(detail::parameters_of(pose));
    }
    for (Vector7& block : parameters_) problem_.AddParameterBlock(block.data(), 7, &manifold_);
    problem_.SetParameterBlockConstant(parameters_.front().data());
    for (const PoseEdge& edge : graph.odometry) add(edge, nullptr);
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) add_closure(i);
    }
  }

  void add_closure(std::size_t i) { add(graph_.closures[i], is_robust_ ? &loss_ : nullptr); }

  void set_scale(double scale) { loss_.Reset(new ceres::CauchyLoss(scale), ceres::TAKE_OWNERSHIP); }

  /// Of every closure at the poses of now.
  std::vector<double> squared_errors() const {
    std::vector<double> result;
    for (const PoseEdge& edge : graph_.closures) {
      Eigen::Matrix<double, 6, 1> residuals;
      const PoseError error(edge);
      error(parameters_[edge.target].data(), parameters_[edge.source].data(), residuals.data());
      result.push_back(residuals.squaredNorm());
    }
    return result;
  }

  double cost() {
    double cost = 0;
    const detail::QuietCeres quiet;
    problem_.Evaluate({}, &cost, nullptr, nullptr, nullptr);
    return cost;
  }

  ceres::Solver::Summary solve(int steps, double tolerance) {
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
    options.sparse_linear_algebra_library_type = ceres::SUITE_SPARSE;
    options.max_num_iterations = steps;
    options.logging_type = ceres::SILENT;
    options.num_threads = 1;  // several add up costs in an order that depends on the machine's mood
    options.function_tolerance = tolerance;
    ceres::Solver::Summary summary;
    const detail::QuietCeres quiet;
    ceres::Solve(options, &problem_, &summary);
    return summary;
  }

  std::vector<Pose> poses() const {
    std::vector<Pose> result;
    for (const Vector7& block : parameters_) result.push_back(detail::pose_of(block));
    result.front() = graph_.vertices.front().pose;
    return result;
  }

 private:
  static ceres::Problem::Options borrowing() {
    ceres::Problem::Options options;
    options.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
    options.manifold_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
    options.disable_all_safety_checks = true;  // check() has made them
    return options;
  }

  void add(const PoseEdge& edge, ceres::LossFunction* loss) {
    problem_.AddResidualBlock(new CostFunction(new PoseError(edge)), loss,
                              parameters_[edge.target].data(), parameters_[edge.source].data());
  }

  const PoseGraph& graph_;
  bool is_robust_;
  PoseManifold manifold_;
  ceres::LossFunctionWrapper loss_;
  std::vector<Vector7> parameters_;
  ceres::Problem problem_;
};

/// The scales of the rounds before the last, wide to narrow: from where half of the closures count
/// half down to what was asked for.
std::vector<double> scales(std::vector<double> squared_errors, double last) {
  const auto middle =
      squared_errors.begin() + static_cast<std::ptrdiff_t>(squared_errors.size() / 2);
  std::nth_element(squared_errors.begin(), middle, squared_errors.end());
  std::vector<double> result;
  if (!std::isfinite(*middle)) return result;  // nothing to narrow, and nothing that can be solved
  double scale = 2 * std::sqrt(*middle);
  while (scale > last * 1.5) {
    result.push_back(scale);
    scale /= kNarrowing;
  }
  return result;
}

void check_input(const PoseGraph& graph, const OptimizeOptions& options) {
  require(!graph.vertices.empty(), ErrorKind::invalid_argument,
          "expected a graph with vertices, found none");
  check(graph);
  require(!graph.closures.empty(), ErrorKind::invalid_argument,
          "expected closures, found none: odometry alone is as good as it gets");
  require(options.closure_scale > 0 && options.max_iterations >= 1 && options.max_factor_bytes > 0,
          ErrorKind::invalid_argument,
          "expected a closure_scale above 0, at least one iteration and max_factor_bytes above 0, "
          "found otherwise");
  detail::require_connected(graph);
}

std::vector<ClosureFit> fits(const std::vector<double>& squared_errors,
                             const OptimizeOptions& options) {
  const double half = options.closure_scale * options.closure_scale;
  std::vector<ClosureFit> result;
  for (const double error : squared_errors) {
    const double weight = options.loss == RobustLoss::cauchy ? 1 / (1 + error / half) : 1;
    result.push_back({error, weight, error <= half});
  }
  return result;
}

/// From rough to fine: the loss narrows from round to round.
ceres::Solver::Summary solve_in_rounds(Problem& problem, const OptimizeOptions& options,
                                       OptimizedGraph& result) {
  std::vector<double> rounds;
  if (options.loss == RobustLoss::cauchy) {
    rounds = scales(problem.squared_errors(), options.closure_scale);
  }
  problem.set_scale(options.closure_scale);
  result.cost_before = problem.cost();
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    report(options.progress, i, rounds.size() + 1);
    problem.set_scale(rounds[i]);
    result.iterations += problem.solve(kRoughSteps, kRoughTolerance).iterations.size();
  }
  report(options.progress, rounds.size(), rounds.size() + 1);
  problem.set_scale(options.closure_scale);
  auto summary = problem.solve(static_cast<int>(options.max_iterations), kFineTolerance);
  result.iterations += summary.iterations.size();
  report(options.progress, rounds.size() + 1, rounds.size() + 1);
  return summary;
}

/// Adds those closures that were left out but agree with what came out. False if there are none, or
/// all together would be too many still.
bool let_in(Problem& problem, const PoseGraph& graph, const OptimizeOptions& options,
            std::vector<bool>& used) {
  // Wider than what counts half: a map made without a closure knows its place less well than it.
  const double agrees = std::pow(kNarrowing * options.closure_scale, 2);
  const std::vector<double> squared_errors = problem.squared_errors();
  std::vector<bool> more = used;
  for (std::size_t i = 0; i < used.size(); ++i) more[i] = used[i] || squared_errors[i] <= agrees;
  if (more == used) return false;
  const std::size_t limit = options.max_factor_bytes;
  if (detail::factor_bytes(graph, more, limit) > limit) return false;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (more[i] && !used[i]) problem.add_closure(i);
  }
  used = std::move(more);
  return true;
}

}  // namespace

OptimizedGraph optimize(const PoseGraph& graph, const OptimizeOptions& options) {
  check_input(graph, options);
  std::vector<bool> used = detail::solvable_closures(graph, options.max_factor_bytes);
  Problem problem(graph, options, used);
  OptimizedGraph result;
  auto summary = solve_in_rounds(problem, options, result);
  const bool all = std::find(used.begin(), used.end(), false) == used.end();
  if (!all && summary.IsSolutionUsable() && let_in(problem, graph, options, used)) {
    summary = problem.solve(static_cast<int>(options.max_iterations), kFineTolerance);
    result.iterations += summary.iterations.size();
  }
  require(summary.IsSolutionUsable(), ErrorKind::invalid_argument,
          "expected a graph whose poses the edges determine, found that its equations cannot be "
          "solved: give every edge some information in all six directions");
  result.converged = summary.termination_type == ceres::CONVERGENCE;
  result.cost_after = summary.final_cost;
  result.poses = problem.poses();
  result.closures = fits(problem.squared_errors(), options);
  result.left_out = static_cast<std::size_t>(std::count(used.begin(), used.end(), false));
  return result;
}

}  // namespace looptree
