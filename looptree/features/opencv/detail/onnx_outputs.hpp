// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include <opencv2/core.hpp>

#include "looptree/features/features.hpp"

namespace looptree::detail {

/// The part of a model's input that an image covers, from its top left corner on.
struct CoveredInput {
  int width = 0;  ///< of the whole input
  int height = 0;
  int covered_width = 0;
  int covered_height = 0;
};

/// What a model gave, sorted by what it means.
struct OnnxOutputs {
  cv::Mat descriptors;  ///< [1][width][h][w] of maps, n rows of keypoints
  cv::Mat keypoints;    ///< n rows of x, y; none of maps
  cv::Mat logits;       ///< [1][64 or 65][h][w] of maps; none of keypoints
  cv::Mat scores;       ///< of maps how reliable, [1][1][h][w]; of keypoints n; may be none

  bool dense() const { return !logits.empty(); }
  std::size_t width() const {
    return static_cast<std::size_t>(dense() ? descriptors.size[1] : descriptors.cols);
  }
};

/// Tells outputs apart by their shapes. Throws Error(unsupported), with the shapes, for others than
/// docs/networks.md describes.
OnnxOutputs sort_outputs(const std::vector<cv::Mat>& outputs, const CoveredInput& input);

/// At most `count` of the keypoints within what the image covers, and their descriptors; pixels of
/// the model's input.
Features read_outputs(const OnnxOutputs& outputs, const CoveredInput& input, float threshold,
                      std::size_t count);

}  // namespace looptree::detail
