// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "looptree/export.hpp"

namespace looptree {

/// Where a camera is and which way it looks: world_from_camera. Camera axes: x right, y down, z
/// forward. Metres, where the source of the pose has metres.
struct Pose {
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< row by row
  std::array<double, 3> translation{0, 0, 0};                 ///< the camera's place in the world
  friend bool operator==(const Pose&, const Pose&) = default;
};

/// Metres between two cameras.
LOOPTREE_EXPORT double distance(const Pose& a, const Pose& b);
/// Degrees by which one camera is turned against the other, about whatever axis; in [0, 180].
LOOPTREE_EXPORT double angle_deg(const Pose& a, const Pose& b);

/// a_from_c of a_from_b and b_from_c.
LOOPTREE_EXPORT Pose compose(const Pose& a_from_b, const Pose& b_from_c);
/// b_from_a of a_from_b. The rotation is taken as one: its inverse is its transpose.
LOOPTREE_EXPORT Pose inverse(const Pose& a_from_b);
/// a_from_b of world_from_a and world_from_b: where b is, as a sees it.
LOOPTREE_EXPORT Pose relative_pose(const Pose& world_from_a, const Pose& world_from_b);

/// A rotation as a unit quaternion (x, y, z, w), w >= 0, as TUM and g2o files write it.
LOOPTREE_EXPORT std::array<double, 4> quaternion(const std::array<double, 9>& rotation);
/// The rotation of a quaternion (x, y, z, w) of any length but 0.
LOOPTREE_EXPORT std::array<double, 9> rotation_of(const std::array<double, 4>& quaternion);

/// The rotation about a vector by its length, in radians.
LOOPTREE_EXPORT std::array<double, 9> rotation_about(const std::array<double, 3>& vector);

/// How a lens bends what a pinhole would show.
enum class LensModel {
  pinhole,        ///< not at all
  brown_conrady,  ///< radially and tangentially: OpenCV's ordinary model, ROS's plumb_bob
  fisheye,        ///< by the angle off the axis: OpenCV's fisheye, Kalibr's equidistant
};

/// A camera; pixels. check() (common/camera.hpp) says what is none.
struct Calibration {
  double fx = 0;
  double fy = 0;
  double cx = 0;
  double cy = 0;
  LensModel lens = LensModel::pinhole;
  /// In OpenCV's order. Brown and Conrady: k1 k2 p1 p2 k3 k4 k5 k6, the last three of the rational
  /// model. Fisheye: k1 k2 k3 k4.
  std::array<double, 8> distortion{};
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

}  // namespace looptree
