// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Depth from one camera that moves, and the closures that get their length of it, on rendered
// images.
#include "looptree/detect/odometry_depth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/dataset/demo_world.hpp"
#include "looptree/detect/closure_pose.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/features/keypoint_depth.hpp"
#include "looptree/graph/trajectory.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

/// A few frames of the route, their features, and what is really known of them.
class OdometryDepth : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    world_ = open_demo_world({.depth = true}).release();
    const auto extractor = make_extractor({});
    for (std::size_t i = 20; i < 26; ++i) features_.push_back(extractor->extract(world_->image(i)));
  }
  static void TearDownTestSuite() {
    delete world_;
    features_.clear();
  }

  static Pose pose(std::size_t i) { return *world_->info().frames[20 + i].pose; }
  static const Calibration& camera() { return *world_->info().calibration; }
  static std::vector<float> exact(std::size_t i) {
    return inverse_depths_from_image(world_->depth_image(20 + i, world_->image(20 + i)),
                                     features_[i].keypoints);
  }

  static inline Sequence* world_ = nullptr;
  static inline std::vector<Features> features_;
};

TEST_F(OdometryDepth, AgreesWithTheRenderedOneAsFarAsItSays) {
  const std::array neighbours{PosedFeatures{&features_[1], pose(1)},
                              PosedFeatures{&features_[3], pose(3)}};
  const PointDepths depths =
      inverse_depths_from_odometry({&features_[2], pose(2)}, neighbours, camera());
  const std::vector<float> truth = exact(2);
  std::vector<double> relative;
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (depths.inverse_depths[i] == 0 || truth[i] == 0) continue;
    const double error = std::abs(depths.inverse_depths[i] - truth[i]);
    relative.push_back(error / truth[i]);
    beyond += error > 3 * depths.sigmas[i] ? 1 : 0;
  }
  ASSERT_GT(relative.size(), 150U);
  EXPECT_LT(static_cast<double>(beyond), 0.15 * static_cast<double>(relative.size()));
  std::nth_element(relative.begin(), relative.begin() + relative.size() / 2, relative.end());
  EXPECT_LT(relative[relative.size() / 2], 0.05);
}

TEST_F(OdometryDepth, TakesTheLengthOfTheOdometry) {
  const auto scaled = [](Pose pose) {
    for (double& t : pose.translation) t *= 10;
    return pose;
  };
  const std::array neighbours{PosedFeatures{&features_[1], pose(1)}};
  const std::array larger{PosedFeatures{&features_[1], scaled(pose(1))}};
  const PointDepths a =
      inverse_depths_from_odometry({&features_[2], pose(2)}, neighbours, camera());
  const PointDepths b =
      inverse_depths_from_odometry({&features_[2], scaled(pose(2))}, larger, camera());
  ASSERT_GT(a.known, 100U);
  EXPECT_NEAR(static_cast<double>(a.known), static_cast<double>(b.known), 2);
  for (std::size_t i = 0; i < a.inverse_depths.size(); ++i) {
    if (a.inverse_depths[i] == 0 || b.inverse_depths[i] == 0) continue;
    EXPECT_NEAR(a.inverse_depths[i], 10 * b.inverse_depths[i], 1e-4);
  }
}

TEST_F(OdometryDepth, RotationErrorsOfTheOdometryDoNotMatter) {
  Pose turned = pose(1);
  turned = compose(turned, Pose{rotation_about({0.003, 0.006, 0.003}), {0, 0, 0}});
  const std::array right{PosedFeatures{&features_[1], pose(1)}};
  const std::array wrong{PosedFeatures{&features_[1], turned}};
  const PointDepths a = inverse_depths_from_odometry({&features_[2], pose(2)}, right, camera());
  const PointDepths b = inverse_depths_from_odometry({&features_[2], pose(2)}, wrong, camera());
  ASSERT_GT(a.known, 100U);
  EXPECT_GT(b.known, a.known * 9 / 10);
  std::size_t close = 0;
  for (std::size_t i = 0; i < a.inverse_depths.size(); ++i) {
    close += std::abs(a.inverse_depths[i] - b.inverse_depths[i]) < 0.05 * a.inverse_depths[i];
  }
  EXPECT_GT(close, a.known * 8 / 10);
}

TEST_F(OdometryDepth, ACameraThatStandsKnowsNothing) {
  const std::array same{PosedFeatures{&features_[2], pose(2)}};
  EXPECT_EQ(inverse_depths_from_odometry({&features_[2], pose(2)}, same, camera()).known, 0U);
  // It turned a little, and odometry says it went a millimetre.
  Pose near = pose(2);
  near.translation[0] += 0.001;
  const std::array almost{PosedFeatures{&features_[2], near}};
  EXPECT_EQ(inverse_depths_from_odometry({&features_[2], pose(2)}, almost, camera()).known, 0U);
  EXPECT_EQ(inverse_depths_from_odometry({&features_[2], pose(2)}, {}, camera()).known, 0U);
}

TEST_F(OdometryDepth, AnImageAgreesWithItself) {
  const Verification same = verify(features_[2], features_[2], camera());
  EXPECT_EQ(same.inliers.size(), same.correspondences);
}

TEST_F(OdometryDepth, SaysWhatItExpected) {
  test::expect_error(ErrorKind::invalid_argument, "in their ranges", [] {
    inverse_depths_from_odometry({&features_[2], pose(2)}, {}, camera(), {.max_relative_sigma = 0});
  });
  test::expect_error(ErrorKind::invalid_argument, "features of a frame", [] {
    inverse_depths_from_odometry({nullptr, pose(2)}, {}, camera());
  });
  const std::array none{PosedFeatures{nullptr, pose(1)}};
  test::expect_error(ErrorKind::invalid_argument, "features of a neighbour", [&] {
    inverse_depths_from_odometry({&features_[2], pose(2)}, none, camera());
  });
}

}  // namespace
}  // namespace looptree
