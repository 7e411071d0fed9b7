// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/closure_pose.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <utility>

#include <opencv2/core.hpp>

#include "looptree/detect/detail/epipolar.hpp"
#include "looptree/detect/detail/rays.hpp"

namespace looptree {
namespace {

/// Frames before and after one that it is triangulated with, nearest first, until enough is known.
constexpr std::array<int, 6> kNeighbours{-1, 1, -2, 2, -4, 4};
/// Of the keypoints that count: enough is known if it is this part of them.
constexpr double kEnough = 0.6;

/// Which side of its correspondences a frame is on.
using Side = std::uint32_t Correspondence::*;

/// How many of the rows that correspondences name are known.
std::size_t known_of(const PointDepths& depths, const std::vector<Correspondence>& correspondences,
                     Side side) {
  if (depths.known == 0) return 0;
  return static_cast<std::size_t>(
      std::count_if(correspondences.begin(), correspondences.end(),
                    [&](const Correspondence& c) { return depths.inverse_depths[c.*side] > 0; }));
}

/// What the neighbours of a frame tell of its depths: one before and one after, more if that is not
/// enough. Nothing without its pose.
PointDepths depths_of(const FrameSource& frames, const ClosureSide& frame,
                      const std::vector<Correspondence>& correspondences, Side side,
                      const Calibration& calibration, const ClosurePoseOptions& options) {
  PointDepths depths;
  if (!frame.pose) return depths;
  std::deque<Features> kept;  // they stay where they are while it grows
  std::vector<PosedFeatures> neighbours;
  for (const int offset : kNeighbours) {
    if (offset < 0 && frame.id.value < static_cast<std::uint32_t>(-offset)) continue;
    const FrameId id(frame.id.value + static_cast<std::uint32_t>(offset));
    const auto info = frames.info(id);
    if (!info || !info->pose || info->session != frame.session) continue;
    auto features = frames.features(id);
    if (!features || features->empty()) continue;
    kept.push_back(*std::move(features));
    neighbours.push_back({&kept.back(), *info->pose});
    depths = inverse_depths_from_odometry({&frame.features, *frame.pose}, neighbours, calibration,
                                          options.odometry);
    if (neighbours.size() >= 2 && static_cast<double>(known_of(depths, correspondences, side)) >=
                                      kEnough * static_cast<double>(correspondences.size())) {
      break;
    }
  }
  return depths;
}

/// The frame that knows more gives all the depths: two that were triangulated with odometry of two
/// scales would not agree.
std::optional<MetricPose> by_odometry(const FrameSource& frames, const ClosureSide& query,
                                      const ClosureSide& match, const Verification& verification,
                                      const Calibration& calibration,
                                      const ClosurePoseOptions& options) {
  const auto& inliers = verification.inliers;
  const PointDepths here =
      depths_of(frames, query, inliers, &Correspondence::query, calibration, options);
  const PointDepths there =
      depths_of(frames, match, inliers, &Correspondence::match, calibration, options);
  if (here.known == 0 && there.known == 0) return std::nullopt;
  Features seen = query.features;
  Features seen_before = match.features;
  std::optional<MetricPose> found;
  if (known_of(there, inliers, &Correspondence::match) >=
      known_of(here, inliers, &Correspondence::query)) {
    seen_before.inverse_depths = there.inverse_depths;
    found = metric_pose(seen, {}, seen_before, there.sigmas, inliers, calibration, options.pose);
  } else {
    seen.inverse_depths = here.inverse_depths;
    found = metric_pose(seen, here.sigmas, seen_before, {}, inliers, calibration, options.pose);
  }
  if (found) add_scale_uncertainty(found->match_from_query, options.odometry_scale_sigma);
  return found;
}

bool has_depth(const Features& features) {
  return std::any_of(features.inverse_depths.begin(), features.inverse_depths.end(),
                     [](float depth) { return depth > 0; });
}

}  // namespace

std::optional<MetricPose> closure_pose(const FrameSource& frames, const ClosureSide& query,
                                       const ClosureSide& match, const Verification& verification,
                                       const Calibration& calibration,
                                       const ClosurePoseOptions& options) {
  if (!options.enabled) return std::nullopt;
  if (has_depth(query.features) || has_depth(match.features)) {
    return metric_pose(query.features, match.features, verification.inliers, calibration,
                       options.pose);
  }
  if (!options.from_odometry) return std::nullopt;
  return by_odometry(frames, query, match, verification, calibration, options);
}

Information rotation_information(const Features& query, const Features& match,
                                 const Verification& verification, const Calibration& calibration,
                                 const MetricPoseOptions& options) {
  Information information;
  if (!verification.match_from_query) return information;
  std::vector<detail::RayPair> pairs;
  for (const Correspondence& c : verification.inliers) {
    pairs.push_back({detail::ray_of(query.keypoints[c.query], calibration),
                     detail::ray_of(match.keypoints[c.match], calibration),
                     options.keypoint_sigma_px / calibration.fx});
  }
  detail::EpipolarPose pose;
  pose.rotation = cv::Matx33d(verification.match_from_query->rotation.data());
  pose.direction = cv::Vec3d(verification.match_from_query->direction.data());
  if (!detail::refine(pose, pairs)) return information;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      information(static_cast<std::size_t>(i) + 3, static_cast<std::size_t>(j) + 3) =
          0.5 * (pose.rotation_information(i, j) + pose.rotation_information(j, i)) /
          options.caution;
    }
  }
  return information;
}

}  // namespace looptree
