// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/features/image_view.hpp"

namespace looptree::detail {

/// A Gaussian of deviation 2 over 7 x 7 pixels. cv::ORB blurs a part of a larger matrix, which
/// OpenCV does in floats, not in its fixed-point arithmetic: rows first, from left to right, then
/// columns, from the centre outwards, each product fused with the sum before it. Fused
/// multiply-adds are exact but for one rounding, so the result is the same wherever it is made.
inline constexpr int kBlurRadius = 3;
/// Weights by distance from the centre.
inline constexpr float kBlurWeights[kBlurRadius + 1] = {0x1.ba95c0p-3F, 0x1.869472p-3F,
                                                        0x1.0c70fcp-3F, 0x1.1f5f62p-4F};

/// One pixel, at least three from the border. The slow, obvious version.
std::uint8_t blurred_pixel(const ImageView& image, int x, int y);

/// All pixels that are at least `margin` from the border, which is at least 3; the image is at
/// least 63 pixels wide and its rows have 64 readable bytes behind them, or it is 160 wide. Rows of
/// `target` lie `stride` bytes apart, hold at least 64 more than a row has pixels, and are written
/// at the same places. `scratch` keeps its memory for the next call.
void blur(const ImageView& image, int margin, std::uint8_t* target, std::size_t stride,
          std::vector<float>& scratch);

}  // namespace looptree::detail
