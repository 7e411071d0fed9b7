// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace looptree::detail {

/// The nodes (or frames) of a layer that a search looks at: those of [first, last), and if `listed`
/// only the given ones among them.
struct Candidates {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool listed = false;
  std::vector<std::uint32_t> items;  ///< ascending, inside [first, last)

  std::size_t size() const { return listed ? items.size() : last - first; }
};

}  // namespace looptree::detail
