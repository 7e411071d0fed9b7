// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/methods/clustering.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/evaluate/made_route.hpp"
#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

using test::expect_error;
using test::MadeRoute;

std::vector<int> sizes(const Groups& groups) {
  std::vector<int> result(*std::max_element(groups.begin(), groups.end()) + 1);
  for (const std::uint32_t group : groups) ++result[group];
  return result;
}

Pose turned(double x, double yaw) {
  Pose pose;
  pose.translation = {x, 0, 0};
  pose.rotation = {std::cos(yaw), 0, std::sin(yaw), 0, 1, 0, -std::sin(yaw), 0, std::cos(yaw)};
  return pose;
}

TEST(ClusterPoses, SeparatesPlaces) {
  // Three rooms far apart, ten frames in each, visited in turn.
  std::vector<Pose> poses;
  for (int i = 0; i < 30; ++i) {
    const int room = i / 10;
    poses.push_back(turned(100.0 * room + 0.1 * (i % 10), 0));
  }
  const Groups groups = cluster_poses(poses, 3);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(groups[i], i / 10) << i;
}

TEST(ClusterPoses, RotationCountsUnlessParallaxIsAskedFor) {
  // Stands at one place and looks two ways, creeping forward all the while.
  std::vector<Pose> poses;
  for (int i = 0; i < 40; ++i)
    poses.push_back(turned(0.01 * i, i < 20 ? 0.002 * i : 2 + 0.002 * i));
  const Groups by_pose = cluster_poses(poses, 2);
  EXPECT_EQ(sizes(by_pose), (std::vector<int>{20, 20}));
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(by_pose[i], i / 20);
  const Groups by_place = cluster_poses(poses, 2, {.rotation_weight = 0});
  EXPECT_EQ(sizes(by_place).size(), 2u);
}

TEST(ClusterPoses, GroupsASteadyRouteEvenly) {
  const MadeRoute made(640, 640, 1);
  const Groups groups = cluster_poses(made.poses, 40);
  const std::vector<int> counts = sizes(groups);
  EXPECT_GE(counts.size(), 36u);
  EXPECT_LE(counts.size(), 40u);
  EXPECT_LE(*std::max_element(counts.begin(), counts.end()), 40);
  EXPECT_EQ(groups, cluster_poses(made.poses, 40)) << "the same seed, the same groups";
  Topology::grouped({groups}, Pooling::mean);
}

TEST(ClusterPoses, FewPosesAndIdenticalOnesAreDefined) {
  EXPECT_EQ(cluster_poses(std::vector<Pose>(1), 1), Groups{0});
  EXPECT_EQ(sizes(cluster_poses(std::vector<Pose>(10), 1)), (std::vector<int>{10}));
  EXPECT_LE(sizes(cluster_poses(std::vector<Pose>(10), 3)).size(), 3u);
  expect_error(ErrorKind::invalid_argument, "from 1 to 2",
               [] { cluster_poses(std::vector<Pose>(2), 3); });
  expect_error(ErrorKind::invalid_argument, "rotation weight",
               [] { cluster_poses(std::vector<Pose>(2), 1, {.rotation_weight = -1}); });
}

TEST(ClusterPoses, FiveThousandFramesTakeSeconds) {
  const MadeRoute made(5000, 2600, 2);
  const auto start = std::chrono::steady_clock::now();
  const Groups groups = cluster_poses(made.poses, 313);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_GE(sizes(groups).size(), 280u);
  // Loose: the machine may be busy and the build a debug one. Dense, it would take minutes.
  EXPECT_LT(took.count(), 60);
}

TEST(RegularGroups, TakeNeighbours) {
  EXPECT_EQ(regular_groups(5, 2), (Groups{0, 0, 1, 1, 2}));
  expect_error(ErrorKind::invalid_argument, "found 0", [] { regular_groups(5, 0); });
}

}  // namespace
}  // namespace looptree::evaluate
