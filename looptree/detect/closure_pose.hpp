// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>

#include "looptree/common/ids.hpp"
#include "looptree/detect/metric_pose.hpp"
#include "looptree/detect/odometry_depth.hpp"
#include "looptree/detect/verification.hpp"
#include "looptree/store/map_types.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// Where the lengths of closures come from.
struct ClosurePoseOptions {
  /// Whether closures get a metric pose where features come with inverse depths.
  bool enabled = true;
  MetricPoseOptions pose{};
  /// Frames without inverse depths are triangulated with their neighbours, by FrameInfo::pose,
  /// which then must be odometry: poses of frames a few metres apart are right against each other,
  /// whatever they are against the world.
  bool from_odometry = false;
  OdometryDepthOptions odometry{};
  /// By which part the odometry's lengths are off, one sigma: what triangulated closures inherit.
  double odometry_scale_sigma = 0.02;
};

/// Frames that were seen before, to triangulate with. Both are asked for ids that are not there,
/// and then return nothing; `features` only where `info` has a pose.
struct FrameSource {
  std::function<std::optional<Features>(FrameId)> features;
  std::function<std::optional<FrameInfo>(FrameId)> info;
};

/// One of the two frames of a closure.
struct ClosureSide {
  const Features& features;
  std::optional<Pose> pose{};  ///< FrameInfo::pose
  SessionId session{0};        ///< neighbours are of the same
  FrameId id{};                ///< neighbours have ids beside it; of a frame that is not inserted
                               ///< yet, the one it will have
};

/// The metric pose of a verified pair of frames: by inverse depths of either, or by odometry of
/// either. Nothing where neither carries it. Throws as metric_pose() does. Cost: a few
/// milliseconds; by odometry, those of matching each frame with its neighbours, too.
LOOPTREE_VISION_EXPORT std::optional<MetricPose> closure_pose(const FrameSource& frames,
                                                              const ClosureSide& query,
                                                              const ClosureSide& match,
                                                              const Verification& verification,
                                                              const Calibration& calibration,
                                                              const ClosurePoseOptions& options);

/// How sure a rotation is that two images gave: information of the rotation vector in the frame of
/// the query, translation 0. Zeros if the correspondences leave it open.
LOOPTREE_VISION_EXPORT Information rotation_information(const Features& query,
                                                        const Features& match,
                                                        const Verification& verification,
                                                        const Calibration& calibration,
                                                        const MetricPoseOptions& options);

}  // namespace looptree
