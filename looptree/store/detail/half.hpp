// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace looptree::detail {

/// The largest number that IEEE binary16 holds.
inline constexpr float kMaxHalf = 65504;

/// A number of at least 0 as IEEE binary16, rounded to nearest; above its range the largest it
/// holds.
inline std::uint16_t to_half(float value) {
  constexpr float kMinNormal = 0x1p-14F;
  if (value < kMinNormal) return static_cast<std::uint16_t>(std::lrint(value * 0x1p24F));
  const auto bits = std::bit_cast<std::uint32_t>(std::min(value, kMaxHalf));
  // To 10 bits of fraction, half to even; a carry moves on into the exponent, as it should.
  const std::uint32_t rounded = bits + 0xFFF + ((bits >> 13) & 1);
  return static_cast<std::uint16_t>((rounded >> 13) - (std::uint32_t{127 - 15} << 10));
}

/// Its value; infinity and not-a-number come out as such.
inline float from_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16;
  const std::uint32_t exponent = (half >> 10) & 31U;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -value : value;
  }
  const std::uint32_t widened = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (widened << 23) | (fraction << 13));
}

}  // namespace looptree::detail
