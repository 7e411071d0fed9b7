// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/resize.hpp"

#include <cmath>
#include <cstdint>

namespace looptree::detail {

Between between_pixels(int at, int from_length, int to_length) {
  const double scale = 1.0 / (static_cast<double>(to_length) / from_length);
  const double place = scale * (at + 0.5) - 0.5;
  const int first = static_cast<int>(std::floor(place));
  if (first < 0) return {0, 0};
  if (first >= from_length - 1) return {from_length - 2, 256};
  return {first, static_cast<int>(std::lrint((place - first) * 256))};
}

Image resized(const Image& from, int width, int height) {
  Image to(width, height);
  for (int y = 0; y < height; ++y) {
    const Between v = between_pixels(y, from.height, height);
    for (int x = 0; x < width; ++x) {
      const Between h = between_pixels(x, from.width, width);
      const auto across = [&](int row) {
        const std::uint8_t* pixel = from.row(row) + h.first;
        return pixel[0] * (256 - h.to_second) + pixel[1] * h.to_second;
      };
      const int sum = across(v.first) * (256 - v.to_second) + across(v.first + 1) * v.to_second;
      to.row(y)[x] = static_cast<std::uint8_t>((sum + (1 << 15)) >> 16);
    }
  }
  return to;
}

}  // namespace looptree::detail
