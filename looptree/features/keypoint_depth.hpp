// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <vector>

#include "looptree/export.hpp"
#include "looptree/features/depth_image.hpp"
#include "looptree/features/features.hpp"
#include "looptree/features/image_view.hpp"

namespace looptree {

/// What Features::inverse_depths may be made of. Each function gives one number per keypoint, 0
/// where the depth is unknown. Threads: free.

/// Two cameras side by side that look the same way, rectified: a point lies on one row of both.
struct StereoRig {
  double fx = 0;          ///< of both, in pixels; above 0
  double baseline_m = 0;  ///< from the left one to the right one; above 0

  /// The standard deviation of the inverse depths that stereo matching gives, in 1/metres.
  double inverse_depth_sigma(double disparity_sigma_px = 0.25) const {
    return disparity_sigma_px / (fx * baseline_m);
  }
};

struct StereoOptions {
  double min_depth_m = 1;        ///< nothing is looked for nearer than this; above 0
  double min_correlation = 0.8;  ///< of the two patches; in [0, 1)
  /// The best place on the row must be better than any that is not beside it: its sum of
  /// differences at most this part of theirs; in (0, 1].
  double max_ratio = 0.8;
};

/// Looks for every keypoint of the left image on the same row of the right one: patches of 11 x 11
/// pixels compared along the row, there and back, then refined to a fraction of a pixel, in which
/// the patch may lean as a wall or a road does. Keypoints without a clear counterpart are unknown.
/// Throws Error(invalid_argument) for images of two sizes, or a rig or options out of range. Cost:
/// about 5 us per keypoint and 100 pixels of the row.
LOOPTREE_EXPORT std::vector<float> inverse_depths_from_stereo(ImageView left, ImageView right,
                                                              std::span<const Keypoint> keypoints,
                                                              const StereoRig& rig,
                                                              const StereoOptions& options = {});

/// Between the four pixels around each keypoint. Unknown where one of these is, or where they lie
/// on both sides of an edge: 1 / depth differs by more than 5%.
LOOPTREE_EXPORT std::vector<float> inverse_depths_from_image(const DepthImage& depth,
                                                             std::span<const Keypoint> keypoints);

/// Of points in the camera's frame (x right, y down, z forward, metres), one per keypoint. A point
/// that is not in front of the camera, or not finite, is unknown.
LOOPTREE_EXPORT std::vector<float> inverse_depths_from_points(
    std::span<const std::array<float, 3>> points);

}  // namespace looptree
