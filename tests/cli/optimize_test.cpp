// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// `looptree optimize`, as a user runs it, on a run made by hand.
#include <filesystem>
#include <span>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "looptree/graph/graph_files.hpp"
#include "looptree/graph/trajectory.hpp"
#include "looptree/graph/trajectory_error.hpp"

#include "tests/dataset/image_folder.hpp"
#include "tests/graph/made_graph.hpp"
#include "tests/run_command.hpp"

namespace looptree {
namespace {

using test::expect;
using test::ImageFolder;

test::Outcome optimize(const std::string& arguments) {
  return test::run_command(std::string(LOOPTREE_CLI) + " optimize " + arguments);
}

/// Two rounds of a circuit: images, poses, and a run with closures as one camera gives them.
class OptimizeCommand : public ::testing::Test {
 protected:
  OptimizeCommand() : made_(test::make_graph({.frames = 120, .lap = 60, .closures = 0})) {
    for (int i = 0; i < 120; ++i) folder_.image("images/" + std::to_string(i) + ".png", i);
    write_kitti(folder_ / "images/poses.txt", made_.truth);
    const nlohmann::json config = {
        {"sequence",
         {{"path", (folder_ / "images").string()}, {"format", "images"}, {"camera", "left"}}}};
    folder_.text("run/config.json", config.dump());
    PoseGraph graph;
    for (std::size_t i = 0; i < 120; ++i) graph.vertices.push_back({i, 0, {}});
    for (std::size_t i = 60; i < 120; i += 2) {
      PoseEdge edge{i - 60, i, Pose{Pose{}.rotation, {0, 0, 1}}, {}};
      for (std::size_t k = 3; k < 6; ++k) edge.information(k, k) = 1e4;
      graph.closures.push_back(edge);
    }
    write_g2o(folder_ / "run/closures.g2o", graph);
  }

  std::string run() const { return (folder_ / "run").string(); }

  ImageFolder folder_;
  test::MadeGraph made_;
};

TEST_F(OptimizeCommand, StraightensMadeUpDrift) {
  const test::Outcome outcome =
      optimize(run() + " --drift --drift-rotation 0.5 --odometry-rotation 0.5 --seed 3");
  expect(outcome, 0, "120 poses, 30 closures, of which 30 agree");
  expect(outcome, 0, "absolute, aligned, scaled");
  for (const char* file : {"optimized.svg", "optimized.png", "optimized.g2o", "optimized_gtsam.txt",
                           "optimized_csv/edges.csv", "optimized_kitti.txt"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "run" / file)) << file;
  }
  const auto before = drift(made_.truth, {.rotation_deg = 0.5, .seed = 3});
  const auto after = read_kitti(folder_ / "run/optimized_kitti.txt");
  EXPECT_LT(absolute_error(made_.truth, after).rmse, absolute_error(made_.truth, before).rmse);
  EXPECT_EQ(read_tum(folder_ / "run/optimized_tum.txt").size(), 120u);
  EXPECT_EQ(read_g2o(folder_ / "run/optimized.g2o").closures.size(), 30u);
}

TEST_F(OptimizeCommand, TakesOdometryOfBothKinds) {
  const auto poses = drift(made_.truth, {.rotation_deg = 0.5});
  write_kitti(folder_ / "vo.kitti", poses);
  std::vector<TimedPose> timed;
  for (std::size_t i = 0; i < 120; ++i) timed.push_back({static_cast<double>(i), poses[i]});
  write_tum(folder_ / "vo.tum", timed);
  const std::string out = " -o " + (folder_ / "out").string();
  expect(optimize(run() + " --odometry " + (folder_ / "vo.kitti").string() + out), 0, "120 poses");
  const auto one = read_kitti(folder_ / "out/optimized_kitti.txt");
  expect(optimize(run() + " --odometry " + (folder_ / "vo.tum").string() + out), 0, "120 poses");
  const auto two = read_kitti(folder_ / "out/optimized_kitti.txt");
  EXPECT_LT(absolute_error(one, two, Alignment::none).max, 1e-4);
}

/// The two rounds as two sessions of one map, whose closures have length.
class OptimizeSessions : public OptimizeCommand {
 protected:
  OptimizeSessions() {
    write_session("monday", 0);
    write_session("tuesday", 60);
    PoseGraph between;
    for (std::size_t i = 0; i < 120; ++i) {
      between.vertices.push_back({i, i < 60 ? 0U : 1U, {}});
      if (i < 60 || i % 4 != 0) continue;
      between.closures.push_back({i - 60, i, relative_pose(made_.truth[i - 60], made_.truth[i]),
                                  Information::from_sigmas(0.05, 0.005)});
    }
    write_g2o(folder_ / "tuesday/map_closures.g2o", between);
  }

  void write_session(const std::string& name, std::size_t first) const {
    for (int i = 0; i < 60; ++i) folder_.image(name + "-images/" + std::to_string(i) + ".png", i);
    const std::span<const Pose> part = std::span(made_.truth).subspan(first, 60);
    write_kitti(folder_ / (name + "-images/poses.txt"), part);
    const nlohmann::json config = {
        {"sequence",
         {{"path", (folder_ / (name + "-images")).string()},
          {"format", "images"},
          {"camera", "left"}}},
        {"map", {{"path", "/city.map"}, {"first_frame", first}}},
        {"odometry",
         {{"drift",
           {{"translation", 0.02}, {"rotation_deg", 0.5}, {"scale", 0}, {"seed", first + 1}}}}}};
    folder_.text(name + "/config.json", config.dump());
    std::string rows = "frame,decision,match\n";
    for (int i = 0; i < 60; ++i) rows += std::to_string(i) + ",no candidate,\n";
    folder_.text(name + "/frames.csv", rows);
    PoseGraph within;
    for (std::size_t i = 0; i < 60; ++i) within.vertices.push_back({i, 0, {}});
    write_g2o(folder_ / (name + "/closures.g2o"), within);
  }

  std::string both() const {
    return (folder_ / "monday").string() + " " + (folder_ / "tuesday").string();
  }
};

TEST_F(OptimizeSessions, AreJoinedByTheirClosuresInTheWorldOfTheFirst) {
  const test::Outcome outcome = optimize(both() + " -o " + (folder_ / "out").string());
  expect(outcome, 0, "120 poses, 15 closures, of which 15 agree");
  const auto first = read_kitti(folder_ / "out/optimized_kitti.txt");
  const auto second = read_kitti(folder_ / "out/optimized_2_kitti.txt");
  ASSERT_EQ(first.size(), 60u);
  ASSERT_EQ(second.size(), 60u);
  EXPECT_LT(distance(first[0], made_.truth[0]), 1e-6);
  for (std::size_t i = 0; i < 60; i += 4) {
    const Pose found = relative_pose(first[i], second[i]);
    EXPECT_LT(distance(found, relative_pose(made_.truth[i], made_.truth[60 + i])), 0.2);
  }
  EXPECT_EQ(read_tum(folder_ / "out/optimized_2_tum.txt").size(), 60u);
  EXPECT_EQ(read_g2o(folder_ / "out/optimized.g2o").closures.size(), 15u);
}

TEST_F(OptimizeSessions, SayWhatIsWrong) {
  expect(optimize((folder_ / "monday").string() + " " + run() + " --drift"), 1,
         "expected several runs that were added to one map");
  expect(optimize(both() + " --odometry /none"), 1, "one --odometry per run");
  folder_.text("tuesday/frames.csv", "frame,decision\nnothing\n");
  expect(optimize(both()), 1, "expected rows of frames");
  folder_.text("tuesday/config.json",
               R"({"sequence": {"path": "/none", "format": "images", "camera": "left"}})");
  expect(optimize(both()), 1, "/none");
}

TEST_F(OptimizeCommand, SaysWhatIsWrong) {
  expect(optimize(run()), 1, "expected --odometry FILE");
  folder_.text("short.txt", test::straight_poses(3));
  expect(optimize(run() + " --odometry " + (folder_ / "short.txt").string()), 1,
         "expected 120 poses in");
  folder_.text("bad.txt", "1 2 3\n");
  expect(optimize(run() + " --odometry " + (folder_ / "bad.txt").string()), 1, "line 1");
  expect(optimize(run() + " --odometry /none"), 1, "expected a file /none");
  expect(optimize("/none --drift"), 1, "found no config.json");
  folder_.text("run/closures.g2o", "");
  expect(optimize(run() + " --drift"), 1, "expected closures, found none");
  expect(optimize("--help"), 0, "Straighten");
}

}  // namespace
}  // namespace looptree
