// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/level_position.hpp"

#include <cmath>

#include "looptree/features/detail/orb_levels.hpp"

namespace looptree {
namespace {

constexpr int kPixels = 1 << LevelPosition::kPixelBits;
static_assert(detail::kOrbLevels <= 1 << (16 - LevelPosition::kPixelBits));

struct Scale {
  float of_level;
  float inverse;
};

/// Multiplied up as the extractor does it, since the last bit counts.
std::array<Scale, detail::kOrbLevels> make_scales() {
  std::array<Scale, detail::kOrbLevels> scales{};
  double scale = 1;
  for (Scale& level : scales) {
    level.of_level = static_cast<float>(scale);
    level.inverse = 1.0F / level.of_level;
    scale *= detail::kOrbScale;
  }
  return scales;
}

const std::array<Scale, detail::kOrbLevels> kScales = make_scales();

/// The pixel of a level at this coordinate, or a negative number if there is none.
int pixel_at(float coordinate, const Scale& scale) {
  const float near = coordinate * scale.inverse + 0.5F;
  if (!(near >= 0 && near < kPixels) || std::signbit(coordinate)) return -1;
  const int pixel = static_cast<int>(near);
  return static_cast<float>(pixel) * scale.of_level == coordinate ? pixel : -1;
}

std::optional<LevelPosition> level_position(const Keypoint& point) {
  for (std::size_t level = 0; level < kScales.size(); ++level) {
    const int x = pixel_at(point.x, kScales[level]);
    if (x < 0) continue;
    const int y = pixel_at(point.y, kScales[level]);
    if (y < 0) continue;
    return LevelPosition{
        static_cast<std::uint16_t>(x | static_cast<int>(level) << LevelPosition::kPixelBits),
        static_cast<std::uint16_t>(y)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<LevelPosition>> level_positions(std::span<const Keypoint> keypoints) {
  std::vector<LevelPosition> positions;
  positions.reserve(keypoints.size());
  for (const Keypoint& point : keypoints) {
    const std::optional<LevelPosition> position = level_position(point);
    if (!position) return std::nullopt;
    positions.push_back(*position);
  }
  return positions;
}

std::array<float, 2> image_position(LevelPosition position) {
  const std::size_t level = position.x >> LevelPosition::kPixelBits;
  const float scale = kScales[level].of_level;
  return {static_cast<float>(position.x & (kPixels - 1)) * scale,
          static_cast<float>(position.y & (kPixels - 1)) * scale};
}

}  // namespace looptree
