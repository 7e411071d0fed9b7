// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/orb_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "looptree/common/error.hpp"
#include "looptree/features/detail/orb/harris.hpp"

namespace looptree::detail {
namespace {

constexpr double kPerCell = 4;
/// Smaller cells would hold no more than a corner or two, whatever is asked for.
constexpr int kSmallestCell = 8;

/// Half to even, which is how OpenCV rounds sizes.
int round_to_int(float value) {
  return static_cast<int>(std::lrint(value));
}

}  // namespace

std::vector<OrbLevel> orb_levels(int width, int height) {
  std::vector<OrbLevel> levels;
  if (std::min(width, height) < kOrbSmallestSide) return levels;
  double scale = 1;
  double weight = 1;
  double sum = 0;
  std::array<double, kOrbLevels> weights{};
  for (double& w : weights) {
    sum += w = weight;
    weight /= kOrbScale;
  }
  double share = 0;
  for (int i = 0; i < kOrbLevels; ++i, scale *= kOrbScale) {
    const auto rounded = static_cast<float>(scale);
    const float inverse = 1.0F / rounded;
    const int w = round_to_int(static_cast<float>(width) * inverse);
    const int h = round_to_int(static_cast<float>(height) * inverse);
    if (std::min(w, h) <= 2 * kOrbBorder) break;
    share += weights[static_cast<std::size_t>(i)] / sum;
    levels.push_back({w, h, rounded, share});
  }
  return levels;
}

std::size_t level_budget(const OrbLevel& level, std::size_t max_features, std::size_t taken) {
  const auto due = std::lround(level.share_end * static_cast<double>(max_features));
  return static_cast<std::size_t>(due) - taken;
}

CellGrid::CellGrid(const OrbLevel& level, std::size_t budget)
    : width(level.width - 2 * kOrbBorder), height(level.height - 2 * kOrbBorder) {
  const double area = static_cast<double>(width) * height;
  const double side =
      std::sqrt(area * kPerCell / static_cast<double>(std::max<std::size_t>(budget, 1)));
  const int whole = std::max(kSmallestCell, static_cast<int>(side));
  columns = std::max(1, width / whole);
  rows = std::max(1, height / whole);
}

int disk_half_width(int row) {
  // ORB makes its disk the same upright and lying: rows beyond the diagonal mirror the others.
  static constexpr std::array<int, kOrbRadius + 1> kHalfWidths{15, 15, 15, 15, 14, 14, 14, 13,
                                                               13, 12, 11, 10, 9,  8,  6,  3};
  return kHalfWidths[static_cast<std::size_t>(std::abs(row))];
}

void check(const OrbOptions& options) {
  require(options.max_features >= 1 && options.max_features <= 1'000'000,
          ErrorKind::invalid_argument,
          "expected max_features from 1 to 1000000, found a number outside");
  require(options.fast_threshold >= 1 && options.fast_threshold <= 255, ErrorKind::invalid_argument,
          "expected a fast_threshold from 1 to 255, found a number outside");
}

void check(const ImageView& image) {
  require(!image.empty(), ErrorKind::invalid_argument,
          "expected an image with pixels, found an empty one");
  require(image.stride >= static_cast<std::size_t>(image.width), ErrorKind::invalid_argument,
          "expected rows at least as far apart as an image is wide, found them closer");
}

Keypoint level_keypoint(const OrbLevel& level, int octave, int x, int y, std::int64_t score,
                        float angle) {
  return {static_cast<float>(x) * level.scale,
          static_cast<float>(y) * level.scale,
          kOrbPatch * level.scale,
          angle,
          harris_response(score),
          octave};
}

}  // namespace looptree::detail
