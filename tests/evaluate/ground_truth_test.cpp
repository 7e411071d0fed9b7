// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/ground_truth.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"

#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

using test::expect_error;

Pose at(double x, double z, bool turned = false) {
  Pose pose;
  pose.translation = {x, 0, z};
  if (turned) pose.rotation = {-1, 0, 0, 0, 1, 0, 0, 0, -1};
  return pose;
}

TEST(GroundTruth, PosesByDistanceAndAngle) {
  const std::vector<Pose> route = {at(0, 0), at(20, 0), at(9, 12), at(0, 1, true)};
  const GroundTruth anyway = GroundTruth::by_poses(route);
  EXPECT_TRUE(anyway.is_right(2, 0)) << "15 m exactly is within 15 m";
  EXPECT_FALSE(anyway.is_right(1, 0));
  EXPECT_TRUE(anyway.is_right(3, 0)) << "looking back counts unless an angle is asked for";
  const GroundTruth same_way = GroundTruth::by_poses(route, {15, 30});
  EXPECT_FALSE(same_way.is_right(3, 0));
  EXPECT_EQ(anyway.right_frames(3, 3), (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(anyway.has_right_frame(3, 1));
  EXPECT_FALSE(anyway.has_right_frame(1, 1));
}

TEST(GroundTruth, SlabsFindWhatEveryPairFinds) {
  Random random(3);
  const auto places = [&](std::size_t count) {
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < count; ++i) {
      poses.push_back(at(100 * random.uniform(), 100 * random.uniform(), random.below(2) == 0));
    }
    return poses;
  };
  const GroundTruth truth = GroundTruth::by_poses(places(50), places(200), {15, 90});
  for (std::size_t query = 0; query < 50; ++query) {
    std::vector<std::size_t> expected;
    for (std::size_t frame = 0; frame < 150; ++frame) {
      if (truth.is_right(query, frame)) expected.push_back(frame);
    }
    EXPECT_EQ(truth.right_frames(query, 150), expected);
    EXPECT_EQ(truth.has_right_frame(query, 150), !expected.empty());
  }
}

TEST(GroundTruth, NumbersWithinATolerance) {
  const GroundTruth truth = GroundTruth::by_numbers(10, {{3}, {}, {0, 9}}, 1);
  EXPECT_EQ(truth.queries(), 3u);
  EXPECT_EQ(truth.frames(), 10u);
  EXPECT_EQ(truth.right_frames(0), (std::vector<std::size_t>{2, 3, 4}));
  EXPECT_FALSE(truth.has_right_frame(1));
  EXPECT_EQ(truth.right_frames(2), (std::vector<std::size_t>{0, 1, 8, 9}));
  expect_error(ErrorKind::invalid_argument, "frame below 10",
               [] { GroundTruth::by_numbers(10, {{10}}, 1); });
}

TEST(GroundTruth, LabelsAndMatrix) {
  const GroundTruth labels = GroundTruth::by_labels({7, 8}, {7, 7, 9});
  EXPECT_EQ(labels.right_frames(0), (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(labels.has_right_frame(1));
  const GroundTruth matrix = GroundTruth::by_matrix(2, 3, {0, 1, 1, 0, 0, 0});
  EXPECT_EQ(matrix.right_frames(0), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(matrix.right_frames(0, 2), (std::vector<std::size_t>{1}));
  EXPECT_EQ(matrix.queries(), 2u);
  EXPECT_EQ(matrix.frames(), 3u);
}

TEST(GroundTruth, RevisitsAreOlderThanTheGap) {
  const std::vector<Pose> route = {at(0, 0), at(50, 0), at(100, 0), at(1, 0)};
  const GroundTruth truth = GroundTruth::by_poses(route);
  EXPECT_EQ(revisits(truth, 0), (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(revisits(truth, 2), (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(revisits(truth, 3), (std::vector<bool>{false, false, false, false}));
}

TEST(GroundTruth, RefusesWhatItCannotUse) {
  expect_error(ErrorKind::invalid_argument, "2 x 2 entries, found 3", [] {
    GroundTruth::by_matrix(2, 2, {0, 0, 0});
  });
  expect_error(ErrorKind::invalid_argument, "distance >= 0", [] {
    GroundTruth::by_poses({}, PoseRule{-1, 180});
  });
  expect_error(ErrorKind::invalid_argument, "0 to 180", [] {
    GroundTruth::by_poses({}, PoseRule{15, 181});
  });
  expect_error(ErrorKind::invalid_argument, "row 1", [] {
    GroundTruth::by_poses({at(0, 0), at(std::numeric_limits<double>::quiet_NaN(), 0)});
  });
  const GroundTruth truth = GroundTruth::by_labels({1}, {1});
  expect_error(ErrorKind::invalid_argument, "query below 1, found 1",
               [&] { truth.is_right(1, 0); });
  expect_error(ErrorKind::invalid_argument, "frame below 1, found 4",
               [&] { truth.is_right(0, 4); });
}

}  // namespace
}  // namespace looptree::evaluate
