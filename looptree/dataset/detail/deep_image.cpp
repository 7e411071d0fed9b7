// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/detail/deep_image.hpp"

#include <algorithm>
#include <vector>

namespace looptree::detail {

void spread_to_8_bits(const std::uint16_t* pixels, Image& image) {
  const std::size_t total = image.pixels.size();
  std::vector<std::size_t> counts(1U << 16U);
  for (std::size_t i = 0; i < total; ++i) ++counts[pixels[i]];
  const std::size_t margin = total / 200;
  std::size_t low = 0;
  std::size_t high = counts.size() - 1;
  for (std::size_t seen = counts[low]; seen <= margin && low < high;) seen += counts[++low];
  for (std::size_t seen = counts[high]; seen <= margin && high > low;) seen += counts[--high];
  const std::size_t width = std::max<std::size_t>(1, high - low);
  for (std::size_t i = 0; i < total; ++i) {
    const std::size_t value = std::clamp<std::size_t>(pixels[i], low, high) - low;
    image.pixels[i] = static_cast<std::uint8_t>((value * 255 + width / 2) / width);
  }
}

}  // namespace looptree::detail
