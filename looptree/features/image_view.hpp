// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace looptree {

/// A grey image of 8 bits that somebody else owns: a plain view, valid as long as the pixels are.
/// Rows lie `stride` bytes apart, so a part of a larger image is one too. A `cv::Mat` of CV_8U goes
/// in without a copy: `image_view(mat)` of features/opencv/cv_mat.hpp.
struct ImageView {
  const std::uint8_t* pixels = nullptr;
  int width = 0;
  int height = 0;
  std::size_t stride = 0;  ///< bytes from one row to the next; at least `width`

  bool empty() const noexcept { return pixels == nullptr || width <= 0 || height <= 0; }
  const std::uint8_t* row(int y) const { return pixels + static_cast<std::size_t>(y) * stride; }
};

}  // namespace looptree
