// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "looptree/export.hpp"
#include "looptree/features/features.hpp"

namespace looptree {

/// A position as ORB finds it: a whole pixel of a level of its pyramid (features/orb.hpp). Four
/// bytes that give back both floats to the bit, which no fixed number of fractional bits does.
struct LevelPosition {
  static constexpr int kPixelBits = 13;  ///< of x and of y; the level is above them in x

  std::uint16_t x = 0;
  std::uint16_t y = 0;
  friend bool operator==(const LevelPosition&, const LevelPosition&) = default;
};

/// The positions of keypoints, or nothing where one of them is no whole pixel below 8192 of any
/// level. The lowest level is taken where several have it. Cost: a few steps a keypoint.
LOOPTREE_EXPORT std::optional<std::vector<LevelPosition>> level_positions(
    std::span<const Keypoint> keypoints);

/// x and y in the image: the floats that level_positions() was given.
LOOPTREE_EXPORT std::array<float, 2> image_position(LevelPosition position);

}  // namespace looptree
