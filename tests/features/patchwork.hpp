// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "looptree/features/image.hpp"

namespace looptree::test {

/// Squares of random grey at random places: corners everywhere, or only in the left part.
inline Image patchwork(int width, int height, int busy_width, std::uint32_t seed) {
  std::mt19937 random(seed);
  Image image(width, height);
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{128});
  for (int i = 0; i < 900; ++i) {
    const int side = 6 + static_cast<int>(random() % 20);
    const int left = static_cast<int>(random() % static_cast<unsigned>(busy_width));
    const int top = static_cast<int>(random() % static_cast<unsigned>(height));
    const auto grey = static_cast<std::uint8_t>(random() % 256);
    for (int y = top; y < std::min(height, top + side); ++y) {
      std::fill(image.row(y) + left, image.row(y) + std::min(width, left + side), grey);
    }
  }
  return image;
}

/// Every pixel by itself, within `contrast` grey levels of the middle.
inline Image noise(int width, int height, int contrast, std::uint32_t seed) {
  std::mt19937 random(seed);
  Image image(width, height);
  for (std::uint8_t& pixel : image.pixels) {
    const auto off =
        static_cast<int>(random() % static_cast<unsigned>(2 * contrast + 1)) - contrast;
    pixel = static_cast<std::uint8_t>(std::clamp(128 + off, 0, 255));
  }
  return image;
}

}  // namespace looptree::test
