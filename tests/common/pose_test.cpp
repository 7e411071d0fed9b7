// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/pose.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

#include "looptree/common/squared_error.hpp"

namespace looptree {
namespace {

TEST(Pose, DistanceAndAngle) {
  const Pose a;
  const Pose b{{0, 0, 1, 0, 1, 0, -1, 0, 0}, {3, 0, 4}};  // a quarter turn about y
  EXPECT_DOUBLE_EQ(distance(a, b), 5);
  EXPECT_NEAR(angle_deg(a, b), 90, 1e-9);
  EXPECT_EQ(angle_deg(b, b), 0);
}

TEST(Pose, QuaternionsGoBothWays) {
  // Each of the four branches: which component is the largest.
  for (const std::array<double, 4>& q :
       {std::array{0.1, 0.2, 0.3, 0.9}, std::array{0.9, 0.2, 0.1, 0.3},
        std::array{0.2, 0.9, 0.1, 0.3}, std::array{0.2, 0.1, 0.9, 0.3},
        std::array{0.9, -0.2, 0.3, -0.1}}) {
    const auto back = quaternion(rotation_of(q));
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double sign = q[3] < 0 ? -1 : 1;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(back[i], sign * q[i] / length, 1e-12);
  }
}

TEST(Pose, ComposesAndInverts) {
  const Pose a{rotation_of({0.1, 0.2, 0.3, 0.9}), {1, 2, 3}};
  const Pose b{rotation_of({-0.4, 0.1, 0.2, 0.5}), {-3, 0.5, 2}};
  const Pose back = compose(a, relative_pose(a, b));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(back.rotation[i], b.rotation[i], 1e-12);
  EXPECT_NEAR(distance(back, b), 0, 1e-12);
  EXPECT_NEAR(distance(compose(a, inverse(a)), Pose{}), 0, 1e-12);
}

TEST(Pose, RotatesAboutAVector) {
  const Pose turned{rotation_about({0, 0, 0.25}), {}};
  EXPECT_NEAR(angle_deg(turned, {}), 0.25 * 180 / 3.14159265358979, 1e-9);
  EXPECT_NEAR(turned.rotation[3], std::sin(0.25), 1e-12) << "counter-clockwise about z";
  EXPECT_EQ(rotation_about({0, 0, 0}), Pose{}.rotation);
}

TEST(SquaredError, CountsSigmasInTheFrameOfTheSource) {
  const Pose truth{rotation_about({0, 0, 1.5707963267948966}), {7, 8, 9}};
  const MeasuredPose exact{truth, Information::from_sigmas(0.1, 0.01)};
  EXPECT_NEAR(squared_error(exact, truth), 0, 1e-9);
  // A quarter turn about z makes the source's y the target's -x.
  MeasuredPose beside = exact;
  beside.pose.translation[0] -= 0.3;
  EXPECT_NEAR(squared_error(beside, truth), 9, 1e-9);
  beside.information(1, 1) = 0;
  EXPECT_NEAR(squared_error(beside, truth), 0, 1e-9);
  MeasuredPose turned = exact;
  turned.pose.rotation = compose(truth, {rotation_about({0.02, 0, 0}), {}}).rotation;
  EXPECT_NEAR(squared_error(turned, truth), 4, 1e-9);
}

}  // namespace
}  // namespace looptree
