// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "looptree/index/kernels/gap_walk.hpp"

namespace looptree {

/// The lowest `count` bytes of a value, the lowest first.
inline void put_bytes(std::vector<std::uint8_t>& out, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

/// Ascending words as a frame stores them.
inline std::vector<std::uint8_t> gaps_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t next = 0;
  for (const std::uint32_t word : words) {
    put_bytes(bytes, std::min(word - next, detail::kLongGap), 2);
    if (word - next >= detail::kLongGap) put_bytes(bytes, word - next, 4);
    next = word + 1;
  }
  return bytes;
}

}  // namespace looptree
