// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/learned/learned_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

/// Deviations are told apart by how they compare with this many grey levels.
constexpr double kQuiet = 4;
/// What a deviation of one standard deviation becomes where that is large, in steps of the input.
constexpr double kLoud = 24;
constexpr double kGainUnit = 4096;

int whole_cells(int length) {
  return (length + kLearnedCell - 1) / kLearnedCell * kLearnedCell;
}

int floor_div(int a, int b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

}  // namespace

LearnedGeometry learned_geometry(int width, int height) {
  LearnedGeometry g;
  if (std::min(width, height) < kLearnedSmallestSide) return g;
  g.halved_width = width;
  g.halved_height = height;
  int w = width;
  int h = height;
  const double pixels = static_cast<double>(width) * height;
  if (pixels > kLearnedMostPixels) {
    const double scale = std::sqrt(kLearnedMostPixels / pixels);
    w = static_cast<int>(width * scale);
    h = static_cast<int>(height * scale);
    if (std::min(w, h) < kLearnedSmallestReduced) return g;
    for (; g.halved_width >= 2 * w && g.halved_height >= 2 * h; ++g.halvings) {
      g.halved_width /= 2;
      g.halved_height /= 2;
    }
    w = std::max(w, (g.halved_width + 1) / 2);
    h = std::max(h, (g.halved_height + 1) / 2);
  }
  g.width = w;
  g.height = h;
  g.padded_width = whole_cells(w);
  g.padded_height = whole_cells(h);
  const auto halved = static_cast<double>(1 << g.halvings);
  g.scale_x = static_cast<float>(halved * g.halved_width / w);
  g.scale_y = static_cast<float>(halved * g.halved_height / h);
  return g;
}

Blend blend_of_cells(int pixel, int cell, int cells) {
  // In half pixels: the middle of a pixel from the middle of the first cell.
  const int at = 2 * pixel + 1 - cell;
  const int first = floor_div(at, 2 * cell);
  return {std::clamp(first, 0, cells - 1), std::clamp(first + 1, 0, cells - 1),
          at - 2 * cell * first};
}

CellContrast cell_contrast(std::int64_t count, std::int64_t sum, std::int64_t squares) {
  const double mean = static_cast<double>(sum) / static_cast<double>(count);
  const double variance = static_cast<double>(squares) / static_cast<double>(count) - mean * mean;
  const double deviation = std::sqrt(std::max(0.0, variance));
  const double gain = std::floor(kGainUnit * kLoud / (deviation + kQuiet) + 0.5);
  return {static_cast<std::int32_t>((32 * sum + count) / (2 * count)),
          static_cast<std::int32_t>(gain)};
}

float parabola_top(int before, int middle, int after) {
  const int curvature = before - 2 * middle + after;
  if (curvature == 0) return 0;
  const float top = 0.5F * static_cast<float>(before - after) / static_cast<float>(curvature);
  return std::clamp(top, -0.5F, 0.5F);
}

int grid_place(float at, int cells) {
  // The middle of pixel x lies at (x + 0.5) / 8 - 0.5 cells: 8 x - 28 of 64ths.
  const int place = static_cast<int>(std::lrint(at * 8)) - 28;
  return std::clamp(place, 0, 64 * (cells - 1));
}

Keypoint image_keypoint(const LearnedGeometry& geometry, Keypoint seen) {
  seen.x = (seen.x + 0.5F) * geometry.scale_x - 0.5F;
  seen.y = (seen.y + 0.5F) * geometry.scale_y - 0.5F;
  seen.size *= geometry.scale_x;
  return seen;
}

void check(const LearnedOptions& options) {
  require(options.max_features >= 1 && options.max_features <= 1'000'000,
          ErrorKind::invalid_argument,
          "expected max_features from 1 to 1000000, found a number outside");
}

}  // namespace looptree::detail
