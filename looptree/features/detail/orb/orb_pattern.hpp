// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace looptree::detail {

/// Two pixels of the patch around an upright keypoint; a bit of the descriptor says whether the
/// first is darker.
struct OrbComparison {
  std::int8_t x1;
  std::int8_t y1;
  std::int8_t x2;
  std::int8_t y2;
};

inline constexpr std::size_t kOrbBits = 256;

/// The comparisons that ORB's authors learned (Rublee et al., ICCV 2011): they are ORB's format,
/// which every vocabulary of ORB words rests on.
extern const std::array<OrbComparison, kOrbBits> kOrbPattern;

}  // namespace looptree::detail
