// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "looptree/common/descriptors.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// A point of an image that can be found again. Pixels; x to the right, y down, (0, 0) the centre
/// of the first pixel.
struct Keypoint {
  float x = 0;
  float y = 0;
  float size = 1;      ///< diameter of what the descriptor looks at, in pixels
  float angle = -1;    ///< degrees in [0, 360), or -1 where the detector has none
  float response = 0;  ///< how distinct; comparable within one image and octave
  int octave = 0;      ///< level of the scale pyramid, 0 the full image
  friend bool operator==(const Keypoint&, const Keypoint&) = default;
};

/// What is known of one image: keypoints and, row for row, their descriptors. From FeatureExtractor
/// or from any other detector, learned ones included.
struct Features {
  std::vector<Keypoint> keypoints;
  Descriptors descriptors;
  int width = 0;   ///< of the image, in pixels
  int height = 0;  ///< of the image, in pixels
  /// Where the camera measures depth, or a second one does: per keypoint 1 over its distance along
  /// the viewing direction, in 1/metres, 0 where unknown. Empty: nothing is known of any.
  std::vector<float> inverse_depths{};
  /// The standard deviation of those that are known, in 1/metres; above 0 where any is.
  float inverse_depth_sigma = 0;

  std::size_t size() const noexcept { return keypoints.size(); }
  bool empty() const noexcept { return keypoints.empty(); }
};

/// Throws Error(invalid_argument) unless there is one whole descriptor per keypoint, every
/// coordinate is finite, and inverse depths, where there are any, are one per keypoint, finite and
/// not negative, with a sigma above 0.
LOOPTREE_EXPORT void check(const Features& features);

}  // namespace looptree
