// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "looptree/index/detail/row_plan.hpp"

namespace looptree::detail {

/// A block to count, aligned to 64 bytes, and the one to be counted after it, or null, whose first
/// lines are brought nearer meanwhile.
struct BlockRows {
  const std::uint8_t* block;
  const std::uint8_t* next;
  /// Whether the lines must come all the way from memory. They are asked for twice then, since
  /// processors forget requests when too many are under way.
  bool far = false;
};

/// Whether a search of so many lines reads more than caches are likely to have kept since the last.
constexpr bool is_far(std::uint64_t lines) {
  constexpr std::uint64_t kCaches = std::uint64_t{2} << 20;
  return lines * kLine > kCaches;
}

}  // namespace looptree::detail
