// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/features/image_view.hpp"

namespace looptree {

/// A grey image of 8 bits, row by row without padding. A plain value; where OpenCV is at hand,
/// `cv::Mat(height, width, CV_8U, pixels.data())` looks at the same pixels.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  ///< width x height of them

  Image() = default;
  /// Black.
  Image(int columns, int rows)
      : width(columns),
        height(rows),
        pixels(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  bool empty() const noexcept { return pixels.empty(); }
  /// The same pixels, for whoever only reads them; empty unless there are width x height of them.
  operator ImageView() const noexcept {  // NOLINT(google-explicit-constructor): a view is free
    const bool whole = width > 0 && height > 0 && pixels.size() == start_of(height);
    return whole ? ImageView{pixels.data(), width, height, static_cast<std::size_t>(width)}
                 : ImageView{};
  }
  std::uint8_t* row(int y) { return pixels.data() + start_of(y); }
  const std::uint8_t* row(int y) const { return pixels.data() + start_of(y); }

 private:
  /// Pixels before the row.
  std::size_t start_of(int y) const noexcept {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  }
};

}  // namespace looptree
