// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "looptree/common/information.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/detect/matching.hpp"
#include "looptree/features/features.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// How well keypoints and their depths are known, and what a pose takes. Defaults are those of
/// ORB in images of some 500 rows.
struct MetricPoseOptions {
  /// The standard deviation of a keypoint of the full image, in pixels; of one of pyramid level n
  /// it is octave_scale^n times as much. Above 0.
  double keypoint_sigma_px = 0.7;
  double octave_scale = 1.2;  ///< at least 1
  /// The standard deviation of Features::inverse_depths, in 1/metres; above 0. What disparities of
  /// a quarter of a pixel make of a stereo camera's fx x baseline of 100 to 400 px m.
  double inverse_depth_sigma = 0.002;
  /// Points that agree with the pose, at least; at least 6.
  std::size_t min_inliers = 15;
  /// With fewer of the points than this that agree, there is no pose; in [0, 1].
  double min_inlier_ratio = 0.4;
  /// Samples of three points tried at most; at least 1.
  std::size_t max_iterations = 300;
  std::uint32_t seed = 1;
  /// Neighbours of a closure repeat each other's errors, and keypoints of one wall or one light
  /// have errors in common; variances are taken to be this many times what residuals alone say.
  /// At least 1.
  double caution = 2.5;
};

/// Where the camera of the query was, as the camera of the match sees it, in metres, and how sure
/// that is: information in the frame of the query's camera (MeasuredPose).
struct MetricPose {
  MeasuredPose match_from_query{};
  std::size_t inliers = 0;
  double error_px = 0;  ///< of the inliers, root mean square over both axes

  /// Standard deviations in all, the root of the sum over three axes.
  LOOPTREE_VISION_EXPORT double sigma_m() const;
  LOOPTREE_VISION_EXPORT double sigma_deg() const;
};

/// The relative pose of two calibrated images from correspondences whose depth is known in one of
/// them or in both: three points give a pose (P3P), random samples of them that which most agree
/// with (RANSAC), and Levenberg-Marquardt the one that fits all of these best, each weighed by what
/// keypoints and depths are worth, with a robust loss. The information follows from the residuals.
/// Nothing if too few agree, or they leave the pose open. The same input gives the same answer.
/// Throws Error(invalid_argument) for features or options out of contract and for correspondences
/// of rows that are not there. Threads: free. Cost: some milliseconds.
LOOPTREE_VISION_EXPORT std::optional<MetricPose> metric_pose(
    const Features& query, const Features& match, std::span<const Correspondence> correspondences,
    const Calibration& calibration, const MetricPoseOptions& options = {});

/// The same where each depth has a sigma of its own: spans of one number per keypoint, in 1/metres,
/// or empty, for options.inverse_depth_sigma.
LOOPTREE_VISION_EXPORT std::optional<MetricPose> metric_pose(
    const Features& query, std::span<const float> query_sigmas, const Features& match,
    std::span<const float> match_sigmas, std::span<const Correspondence> correspondences,
    const Calibration& calibration, const MetricPoseOptions& options = {});

/// Widens the uncertainty of a pose whose length is off by a part of it, as that which comes of
/// odometry: `scale_sigma` is the standard deviation of that part; at least 0.
LOOPTREE_VISION_EXPORT void add_scale_uncertainty(MeasuredPose& measured, double scale_sigma);

}  // namespace looptree
