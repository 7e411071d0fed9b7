// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "looptree/features/image_view.hpp"

namespace looptree::detail {

/// How much of a corner (x, y) is by Harris: over the 7 x 7 pixels around it, a = sum of Ix^2,
/// b = sum of Iy^2, c = sum of Ix Iy by Sobel's derivatives, and 25 (a b - c^2) - (a + b)^2. That
/// is 25 times Harris' det - 0.04 trace^2, in whole numbers, below 2^57 in magnitude: negative
/// along an edge, high where the image changes in every direction. At least 6 pixels from the
/// border.
std::int64_t harris_score(const ImageView& image, int x, int y);

/// The score as cv::ORB writes it, where grey levels run from 0 to 1.
float harris_response(std::int64_t score);

/// The definition from the three sums.
constexpr std::int64_t harris_of(std::int64_t a, std::int64_t b, std::int64_t c) {
  return 25 * (a * b - c * c) - (a + b) * (a + b);
}

}  // namespace looptree::detail
