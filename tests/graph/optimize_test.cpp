// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/optimize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "looptree/graph/detail/sparseness.hpp"

#include "tests/graph/made_graph.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::GraphMaker;
using test::MadeGraph;
using test::MadeGraphOptions;
using test::make_graph;

/// Root of the mean squared distance from the truth; both begin at one pose, so nothing is aligned.
double error_m(const std::vector<Pose>& poses, const std::vector<Pose>& truth) {
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) sum += std::pow(distance(poses[i], truth[i]), 2);
  return std::sqrt(sum / static_cast<double>(truth.size()));
}

std::vector<Pose> poses_of(const PoseGraph& graph) {
  std::vector<Pose> poses;
  for (const PoseVertex& vertex : graph.vertices) poses.push_back(vertex.pose);
  return poses;
}

TEST(Optimize, RecoversTheTruthFromPerfectEdges) {
  MadeGraph made = make_graph({.closure_m = 1e-6, .closure_rad = 1e-6});
  for (std::size_t i = 0; i < made.graph.odometry.size(); ++i) {
    made.graph.odometry[i].target_from_source = relative_pose(made.truth[i], made.truth[i + 1]);
  }
  ASSERT_GT(error_m(poses_of(made.graph), made.truth), 0.5);
  const OptimizedGraph result = optimize(made.graph);
  EXPECT_LT(error_m(result.poses, made.truth), 1e-3);
  EXPECT_TRUE(result.converged);
  EXPECT_LT(result.cost_after, result.cost_before / 100);
}

TEST(Optimize, StraightensADriftingTrajectory) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const MadeGraph made = make_graph({.seed = seed});
    const OptimizedGraph result = optimize(made.graph);
    EXPECT_LT(error_m(result.poses, made.truth), 0.35 * error_m(poses_of(made.graph), made.truth));
    const auto inliers = std::count_if(result.closures.begin(), result.closures.end(),
                                       [](const ClosureFit& fit) { return fit.is_inlier; });
    EXPECT_GT(inliers, 190);
    EXPECT_EQ(result.poses.front(), made.graph.vertices.front().pose) << "the anchor";
  }
}

TEST(Optimize, ErrorsOfClosuresFollowTheirInformation) {
  const OptimizedGraph result = optimize(make_graph().graph, {.loss = RobustLoss::none});
  double sum = 0;
  for (const ClosureFit& fit : result.closures) sum += fit.squared_error;
  const double mean = sum / static_cast<double>(result.closures.size());
  EXPECT_GT(mean, 3) << "6 is expected of closures that fit nothing to themselves";
  EXPECT_LT(mean, 7);
}

TEST(Optimize, FalseClosuresDoNotBendTheMap) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
    const MadeGraph clean = make_graph({.seed = seed});
    const MadeGraph fooled = make_graph({.false_share = 0.2, .seed = seed});
    ASSERT_EQ(fooled.graph.closures.size(), 240u);
    const double error = error_m(optimize(clean.graph).poses, clean.truth);
    const OptimizedGraph result = optimize(fooled.graph);
    EXPECT_LT(error_m(result.poses, fooled.truth), 1.1 * error) << "seed " << seed;
    for (std::size_t i = 200; i < 240; ++i) {
      EXPECT_FALSE(result.closures[i].is_inlier) << i;
      EXPECT_LT(result.closures[i].weight, 0.1) << i;
    }
    const OptimizedGraph bent = optimize(fooled.graph, {.loss = RobustLoss::none});
    EXPECT_GT(error_m(bent.poses, fooled.truth), 3 * error) << "what the loss is good for";
  }
}

/// Two sessions of one route, the second in a world of its own.
MadeGraph two_sessions() {
  MadeGraph first = make_graph({.frames = 200, .closures = 40});
  const MadeGraph second = make_graph({.frames = 200, .closures = 40, .seed = 2});
  const Pose other_world{rotation_about({0.3, -1.5, 0.2}), {500, -20, 300}};
  std::vector<Pose> poses;
  for (const PoseVertex& vertex : second.graph.vertices) {
    poses.push_back(compose(other_world, vertex.pose));
  }
  const std::size_t offset = add_session(first.graph, poses);
  first.truth.insert(first.truth.end(), second.truth.begin(), second.truth.end());
  GraphMaker maker({.seed = 9});
  for (std::size_t i = 5; i < 200; i += 5) {
    const Pose measured = relative_pose(first.truth[i], first.truth[offset + i]);
    first.graph.closures.push_back(
        {i, offset + i, maker.noisy(measured, 0.05, 0.005), Information::from_sigmas(0.05, 0.005)});
  }
  return first;
}

TEST(Optimize, JoinsSessionsByTheirClosures) {
  MadeGraph made = two_sessions();
  EXPECT_EQ(made.graph.vertices[200].session, 1u);
  EXPECT_EQ(made.graph.vertices[200].id, 200u);
  const double joined = error_m(optimize(made.graph).poses, made.truth);
  EXPECT_LT(joined, 1);
  // A third of the closures between them false: where the session is put is a vote.
  const std::size_t count = made.graph.closures.size();
  for (std::size_t i = 40; i < count; i += 3) {
    made.graph.closures[i].target = (made.graph.closures[i].target + 37) % 200;
  }
  EXPECT_LT(error_m(optimize(made.graph).poses, made.truth), 1.3 * joined);
}

TEST(Optimize, NamesWhatIsWrong) {
  using test::expect_error;
  const auto refused = [](const std::string& fragment, const PoseGraph& graph) {
    expect_error(ErrorKind::invalid_argument, fragment, [&] { optimize(graph); });
  };
  const PoseGraph good = make_graph({.frames = 150, .closures = 5}).graph;
  refused("with vertices, found none", {});
  PoseGraph bad = good;
  bad.closures.clear();
  refused("expected closures, found none", bad);
  bad = good;
  add_session(bad, std::vector<Pose>(3));
  refused("vertex 150 of session 1 is apart", bad);
  bad = good;
  bad.vertices[7].pose.translation[1] = std::numeric_limits<double>::quiet_NaN();
  refused("pose of vertex 7, found NaN", bad);
  bad = good;
  bad.closures[2].information(0, 0) = std::numeric_limits<double>::infinity();
  refused("information of closure 2, found NaN or infinity", bad);
  bad = good;
  bad.closures[2].information(0, 0) = -1;
  refused("without negative eigenvalues in closure 2", bad);
  bad = good;
  bad.closures[2].information(0, 1) = 300;
  refused("symmetric information matrix in closure 2", bad);
  bad = good;
  bad.odometry[3].source = 999;
  refused("below 150 in odometry edge 3, found 3 and 999", bad);
  bad = good;
  bad.closures[1].source = bad.closures[1].target;
  refused("two vertices in closure 1", bad);
  bad = good;
  bad.vertices[9].id = 3;
  refused("expected one vertex 3, found two", bad);
  bad = good;
  bad.vertices[4].pose.rotation[0] = -bad.vertices[4].pose.rotation[0] + 1;
  refused("expected a rotation matrix in the pose of vertex 4", bad);
  expect_error(ErrorKind::invalid_argument, "closure_scale",
               [&] { optimize(good, {.closure_scale = 0}); });
  expect_error(ErrorKind::cancelled, "stopped",
               [&] { optimize(good, {.progress = [](auto, auto) { return false; }}); });
}

std::vector<bool> all_of(const PoseGraph& graph) {
  return std::vector<bool>(graph.closures.size(), true);
}

TEST(Sparseness, CountsTheFactorsBlocks) {
  constexpr std::size_t kBlock = 36 * sizeof(double);
  PoseGraph chain;
  add_session(chain, std::vector<Pose>(50));
  EXPECT_EQ(detail::factor_bytes(chain, {}, 1u << 20), (50 + 49) * kBlock) << "no fill";
  PoseGraph ring = chain;
  ring.closures.push_back({.target = 0, .source = 49});
  EXPECT_EQ(detail::factor_bytes(ring, {false}, 1u << 20), (50 + 49) * kBlock);
  EXPECT_EQ(detail::factor_bytes(ring, {true}, 1u << 20), (50 + 49 + 48) * kBlock)
      << "an end of the ring that shrinks has two neighbours until it is a triangle";
  PoseGraph full = chain;
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t j = i + 2; j < 50; ++j) full.closures.push_back({.target = i, .source = j});
  }
  EXPECT_EQ(detail::factor_bytes(full, all_of(full), 1u << 20), 50 * 51 / 2 * kBlock);
  EXPECT_GT(detail::factor_bytes(full, all_of(full), 100 * kBlock), 100 * kBlock);
}

TEST(Sparseness, FindsClosuresThatStandAlone) {
  PoseGraph graph;
  add_session(graph, std::vector<Pose>(1000));
  const auto closure = [](std::size_t target, std::size_t source) {
    return PoseEdge{.target = target, .source = source};
  };
  graph.closures = {closure(100, 500), closure(119, 519), closure(100, 700), closure(300, 500),
                    closure(0, 900),   closure(2, 901),   closure(2, 901)};
  EXPECT_EQ(detail::supported_closures(graph),
            (std::vector<bool>{true, true, false, false, true, true, true}));
  graph.closures = {closure(100, 500), closure(100, 500)};
  EXPECT_EQ(detail::supported_closures(graph), (std::vector<bool>{false, false}))
      << "the same once more is no support";
}

TEST(Optimize, LeavesOutWhatMakesTheEquationsDenseAndTakesBackWhatAgrees) {
  const MadeGraphOptions options{.frames = 2000, .lap = 500, .closures = 600};
  MadeGraphOptions fooled_options = options;
  fooled_options.false_share = 0.2;
  const MadeGraph clean = make_graph(options);
  MadeGraph fooled = make_graph(fooled_options);
  // A true closure that nobody supports: it is left out first, and then agrees.
  GraphMaker maker({.seed = 5});
  fooled.graph.closures.push_back(
      {3, 1503, maker.noisy(relative_pose(fooled.truth[3], fooled.truth[1503]), 0.05, 0.005),
       Information::from_sigmas(0.05, 0.005)});
  const auto factor = [](const MadeGraph& made) {
    return detail::factor_bytes(made.graph, all_of(made.graph), std::size_t{1} << 30);
  };
  const std::size_t limit = (3 * factor(fooled) + factor(clean)) / 4;
  const double error = error_m(optimize(clean.graph).poses, clean.truth);
  testing::internal::CaptureStderr();
  const OptimizedGraph result = optimize(fooled.graph, {.max_factor_bytes = limit});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the library never prints";
  EXPECT_LT(error_m(result.poses, fooled.truth), 1.1 * error);
  EXPECT_GT(result.left_out, 60u);
  EXPECT_LE(result.left_out, 120u);
  for (std::size_t i = 600; i < 720; ++i) EXPECT_FALSE(result.closures[i].is_inlier) << i;
  EXPECT_TRUE(result.closures[720].is_inlier);
  test::expect_error(ErrorKind::invalid_argument, "along stretches driven twice",
                     [&] { optimize(fooled.graph, {.max_factor_bytes = 1000}); });
}

TEST(Optimize, SaysNothingWhereTheEquationsCannotBeSolved) {
  MadeGraph made = make_graph({.frames = 150, .closures = 5});
  testing::internal::CaptureStderr();
  const auto expect_refused = [&] {
    test::expect_error(ErrorKind::invalid_argument, "its equations cannot be solved",
                       [&] { optimize(made.graph); });
  };
  // Errors beyond the largest number: of one closure, of all.
  made.graph.vertices[made.graph.closures[0].source].pose.translation[0] = 1e200;
  made.graph.closures[0].information = Information::from_sigmas(1e-150, 1);
  expect_refused();
  for (PoseEdge& edge : made.graph.closures) edge.information = Information::from_sigmas(1e-150, 1);
  for (PoseVertex& vertex : made.graph.vertices) vertex.pose.translation[1] = 0;
  for (const PoseEdge& edge : made.graph.closures) {
    made.graph.vertices[edge.source].pose.translation[0] = 1e200;
  }
  expect_refused();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Optimize, GivesTheSameAnswerTwice) {
  const MadeGraph made = make_graph({.false_share = 0.1});
  EXPECT_EQ(optimize(made.graph).poses, optimize(made.graph).poses);
}

}  // namespace
}  // namespace looptree
