// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace looptree {

/// How far away every pixel of an image is: metres along the viewing direction, 0 where unknown,
/// row by row without padding.
struct DepthImage {
  int width = 0;
  int height = 0;
  std::vector<float> metres;  ///< width x height of them

  DepthImage() = default;
  /// Nothing known.
  DepthImage(int columns, int rows)
      : width(columns),
        height(rows),
        metres(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  bool empty() const noexcept { return metres.empty(); }
  float* row(int y) { return metres.data() + start_of(y); }
  const float* row(int y) const { return metres.data() + start_of(y); }

 private:
  /// Pixels before the row.
  std::size_t start_of(int y) const noexcept {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  }
};

}  // namespace looptree
