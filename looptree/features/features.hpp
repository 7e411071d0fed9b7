// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
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
  /// Where depth is known: for each keypoint 1 / (its distance along the camera's axis), in 1 / m,
  /// or 0 where it is not known; empty if it is known of none. At least 0.
  std::vector<float> inverse_depths{};

  std::size_t size() const noexcept { return keypoints.size(); }
  bool empty() const noexcept { return keypoints.empty(); }
};

/// Throws Error(invalid_argument) unless there is one whole descriptor per keypoint, every
/// coordinate is finite, and inverse depths are none or one per keypoint, finite and not negative.
LOOPTREE_EXPORT void check(const Features& features);

/// The rows named, in their order: keypoints, descriptors, inverse depths. Rows lie below
/// features.size().
LOOPTREE_EXPORT Features take_rows(const Features& features, std::span<const std::size_t> rows);

}  // namespace looptree
