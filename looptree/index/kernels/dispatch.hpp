// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "looptree/common/simd.hpp"
#include "looptree/index/core/bits.hpp"

// What all kernels share: how they are chosen, and how they fetch lines ahead of their use.
//
// A kernel's source is compiled once per SIMD level by Highway's foreach_target, and the best level
// of the machine is chosen at run time. All levels give the same bits. Levels are compared by
// order, as in `HWY_TARGET <= HWY_AVX3` (AVX-512 or better): Highway numbers better levels lower,
// and newer releases add levels above AVX3.

namespace looptree::detail {

/// A block to count, aligned to 64 bytes, and the one to be counted after it, or null, whose first
/// lines are fetched meanwhile.
struct BlockRows {
  const std::uint8_t* block;
  const std::uint8_t* next;
  /// Whether the lines come all the way from memory. They are then fetched twice, since processors
  /// drop requests when too many are under way.
  bool far = false;
};

/// Whether a search of so many lines reads more than caches are likely to have kept since the last.
constexpr bool is_far(std::uint64_t lines) {
  constexpr std::uint64_t kCaches = std::uint64_t{2} << 20;
  return lines * kLine > kCaches;
}

}  // namespace looptree::detail
