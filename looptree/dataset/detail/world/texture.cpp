// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/detail/world/texture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace looptree::detail {
namespace {

/// Half the size; each pixel the mean of up to four.
Image halve(const Image& from) {
  Image to((from.width + 1) / 2, (from.height + 1) / 2);
  for (int y = 0; y < to.height; ++y) {
    const std::uint8_t* upper = from.row(2 * y);
    const std::uint8_t* lower = from.row(std::min(2 * y + 1, from.height - 1));
    for (int x = 0; x < to.width; ++x) {
      const int left = 2 * x;
      const int right = std::min(left + 1, from.width - 1);
      to.row(y)[x] = static_cast<std::uint8_t>(
          (upper[left] + upper[right] + lower[left] + lower[right] + 2) / 4);
    }
  }
  return to;
}

float bilinear(const Image& image, float x, float y) {
  x = std::clamp(x, 0.0F, static_cast<float>(image.width - 1));
  y = std::clamp(y, 0.0F, static_cast<float>(image.height - 1));
  const int left = static_cast<int>(x);
  const int top = static_cast<int>(y);
  const int right = std::min(left + 1, image.width - 1);
  const int bottom = std::min(top + 1, image.height - 1);
  const float fx = x - static_cast<float>(left);
  const float fy = y - static_cast<float>(top);
  const std::uint8_t* a = image.row(top);
  const std::uint8_t* b = image.row(bottom);
  const auto mix = [](float p, float q, float f) { return p + (q - p) * f; };
  return mix(mix(a[left], a[right], fx), mix(b[left], b[right], fx), fy);
}

}  // namespace

std::uint32_t hash(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t h =
      a * 0x9e3779b1U ^ (b + 0x7f4a7c15U) * 0x85ebca77U ^ (c + 0x165667b1U) * 0xc2b2ae3dU;
  h ^= h >> 15U;
  h *= 0x2c1b3c6dU;
  h ^= h >> 12U;
  h *= 0x297a2d39U;
  h ^= h >> 15U;
  return h;
}

float chance(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return static_cast<float>(hash(a, b, c) >> 8U) * (1.0F / 16777216.0F);
}

Texture::Texture(Image finest) {
  levels_.push_back(std::move(finest));
  while (levels_.back().width > 1 || levels_.back().height > 1) {
    levels_.push_back(halve(levels_.back()));
  }
}

float Texture::sample(float x, float y, float footprint) const {
  // The two levels around the footprint, without a logarithm: halve until it fits a pixel.
  std::size_t level = 0;
  float scale = 1;
  while (footprint >= 2 && level + 1 < levels_.size()) {
    footprint *= 0.5F;
    scale *= 0.5F;
    ++level;
  }
  // Pixel centres of a coarser level lie between those of the finer one.
  const auto at = [&](std::size_t l, float s) {
    return bilinear(levels_[l], (x + 0.5F) * s - 0.5F, (y + 0.5F) * s - 0.5F);
  };
  const float near = at(level, scale);
  const float blend = std::clamp(footprint - 1, 0.0F, 1.0F);
  if (blend == 0 || level + 1 == levels_.size()) return near;
  return near + (at(level + 1, scale * 0.5F) - near) * blend;
}

}  // namespace looptree::detail
