// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/trajectory.hpp"

#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/graph/trajectory_error.hpp"

#include "tests/fuzz/graph_target.hpp"
#include "tests/graph/made_graph.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
namespace fs = std::filesystem;

std::vector<Pose> route(std::size_t frames = 120) {
  return test::make_graph({.frames = frames, .lap = 60, .closures = 0}).truth;
}

TEST(Trajectory, FilesComeBackAsTheyWent) {
  const fs::path file = fs::temp_directory_path() / "looptree_trajectory.txt";
  const std::vector<Pose> poses = route();
  std::vector<TimedPose> timed;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    timed.push_back({1305031449.5 + 0.1 * static_cast<double>(i), poses[i]});
  }
  write_tum(file, timed);
  const auto tum = read_tum(file);
  write_kitti(file, poses);
  const auto kitti = read_kitti(file);
  fs::remove(file);
  ASSERT_EQ(tum.size(), poses.size());
  ASSERT_EQ(kitti.size(), poses.size());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    EXPECT_NEAR(tum[i].time_s, timed[i].time_s, 1e-6);
    EXPECT_NEAR(distance(tum[i].pose, poses[i]), 0, 1e-8);
    EXPECT_NEAR(angle_deg(tum[i].pose, poses[i]), 0, 1e-5);
    EXPECT_NEAR(distance(kitti[i], poses[i]), 0, 1e-7);
    EXPECT_NEAR(angle_deg(kitti[i], poses[i]), 0, 1e-3);
  }
}

TEST(Trajectory, NamesTheLineThatIsWrong) {
  const auto damaged = ErrorKind::corruption;
  expect_error(damaged, "'time tx ty tz qx qy qz qw' in a.txt, line 2, found '1 2 3'",
               [] { parse_tum("# comment\n1 2 3\n", "a.txt"); });
  expect_error(damaged, "quaternion", [] { parse_tum("0 0 0 0 0 0 0 0\n"); });
  expect_error(damaged, "line 1", [] { parse_tum("0 inf 0 0 0 0 0 1\n"); });
  expect_error(damaged, "line 1", [] { parse_tum("0 1e999 0 0 0 0 0 1\n"); });
  expect_error(damaged, "12 numbers", [] { parse_kitti("1 0 0 0 0 1 0 0 0 0 1\n"); });
  expect_error(damaged, "a rotation", [] { parse_kitti("2 0 0 0 0 1 0 0 0 0 1 0\n"); });
  expect_error(damaged, "a rotation", [] { parse_kitti("-1 0 0 0 0 1 0 0 0 0 1 0\n"); });
  expect_error(ErrorKind::not_found, "/none", [] { read_tum("/none"); });
  expect_error(ErrorKind::io, "/none/x", [] { write_kitti("/none/x", {}); });
  EXPECT_TRUE(parse_tum("").empty());
}

TEST(Trajectory, FilesSurviveDamage) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += std::to_string(i) + ".5 1 -2.25 3e-1 0 0 0.70710678 0.70710678\n";
  }
  EXPECT_EQ(test::exercise_graph_readers(text), 2) << "g2o skips what it does not know";
  for (std::size_t length = 0; length < text.size(); ++length) {
    test::exercise_graph_readers(std::string_view(text).substr(0, length));
  }
  Random random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = text;
    damaged[random.below(damaged.size())] ^= static_cast<char>(1u << random.below(8));
    test::exercise_graph_readers(damaged);
  }
}

TEST(Trajectory, AssociatesByNearestTime) {
  const std::vector<double> first{0, 1, 2.011, 3, 9};
  const std::vector<double> second{0.99, 1.005, 2, 2.5, 3.015};
  EXPECT_EQ(associate(first, second), (std::vector<TimePair>{{1, 1}, {2, 2}, {3, 4}}));
  EXPECT_TRUE(associate(first, {}).empty());
}

TEST(Trajectory, DriftsAsStated) {
  // The end of a straight way of 100 m, many times: its errors have the deviations asked for.
  std::vector<Pose> straight(101);
  for (std::size_t i = 0; i < straight.size(); ++i) {
    straight[i].translation[2] = static_cast<double>(i);
  }
  double along = 0;
  double angle = 0;
  constexpr int runs = 400;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const auto end = drift(straight, {.translation = 0.02, .rotation_deg = 0, .seed = seed}).back();
    along += std::pow(end.translation[2] - 100, 2) / runs;
    const auto turned = drift(straight, {.translation = 0, .rotation_deg = 0.1, .seed = seed});
    angle += std::pow(angle_deg(turned.back(), straight.back()), 2) / runs;
  }
  EXPECT_NEAR(std::sqrt(along), 0.02 * 10, 0.02);
  EXPECT_NEAR(std::sqrt(angle), 0.1 * 10 * std::sqrt(3.0), 0.15);
  EXPECT_NEAR(
      drift(straight, {.translation = 0, .rotation_deg = 0, .scale = 0.01}).back().translation[2],
      101, 1e-9);
  EXPECT_EQ(drift(straight, {.seed = 3}), drift(straight, {.seed = 3}));
}

TEST(TrajectoryError, AlignsWithAndWithoutScale) {
  const std::vector<Pose> truth = route();
  const Similarity moved{{rotation_about({0.3, 1, -0.4}), {10, -5, 7}}, 2.5};
  const std::vector<Pose> estimate = transform_poses(moved, truth);
  EXPECT_NEAR(absolute_error(truth, estimate, Alignment::similarity).rmse, 0, 1e-9);
  EXPECT_NEAR(align(truth, estimate, true).scale, 1 / 2.5, 1e-12);
  EXPECT_GT(absolute_error(truth, estimate, Alignment::rigid).rmse, 1);
  const std::vector<Pose> rigid = transform_poses({moved.reference_from_estimate, 1}, truth);
  EXPECT_NEAR(absolute_error(truth, rigid).rmse, 0, 1e-9);
  EXPECT_GT(absolute_error(truth, rigid, Alignment::none).rmse, 10);
  EXPECT_NEAR(relative_error(truth, rigid).translation_m.max, 0, 1e-9);
}

TEST(TrajectoryError, IsWorkedOutByHand) {
  std::vector<Pose> truth(4);
  for (std::size_t i = 0; i < 4; ++i) truth[i].translation = {static_cast<double>(i), 0, 0};
  std::vector<Pose> estimate = truth;
  estimate[1].translation[1] = 3;
  estimate[2].translation[1] = 4;
  const ErrorStatistics absolute = absolute_error(truth, estimate, Alignment::none);
  EXPECT_DOUBLE_EQ(absolute.rmse, 2.5);
  EXPECT_DOUBLE_EQ(absolute.mean, 1.75);
  EXPECT_DOUBLE_EQ(absolute.median, 1.5);
  EXPECT_DOUBLE_EQ(absolute.min, 0);
  EXPECT_DOUBLE_EQ(absolute.max, 4);
  EXPECT_DOUBLE_EQ(absolute.std, std::sqrt(2.5 * 2.5 - 1.75 * 1.75));
  const RelativeError relative = relative_error(truth, estimate);
  EXPECT_DOUBLE_EQ(relative.translation_m.mean, (3 + 1 + 4) / 3.0);
  EXPECT_DOUBLE_EQ(relative_error(truth, estimate, 2).translation_m.mean, 4)
      << "steps one after the other: from 0 to 2, and no further";
  estimate[3].rotation = rotation_about({0, 0, 0.1});
  EXPECT_NEAR(relative_error(truth, estimate).rotation_deg.max, 5.729577951308, 1e-9);
}

TEST(TrajectoryError, RefusesWhatLeavesItOpen) {
  const auto refused = [](const std::string& fragment, auto call) {
    expect_error(ErrorKind::invalid_argument, fragment, call);
  };
  const std::vector<Pose> truth = route();
  const std::vector<Pose> still(5);
  refused("as many poses", [&] { absolute_error(truth, still); });
  refused("on one line", [&] { absolute_error(still, still); });
  refused("at least 3", [&] { align(std::vector<Pose>(2), std::vector<Pose>(2), false); });
  refused("delta", [&] { relative_error(still, still, 5); });
  refused("delta", [&] { relative_error(still, still, 0); });
}

}  // namespace
}  // namespace looptree
