// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "looptree/index/kernels/dispatch.hpp"

namespace looptree::detail {

/// Nodes side by side in one row of levels, and so in one block.
inline constexpr std::uint32_t kBlockNodes = 64;
/// A node's level of a word is a byte; this one says "so much or more".
inline constexpr std::uint32_t kOpenLevel = 255;

/// A row of a block, and how much of it a query can use.
struct LevelRow {
  std::uint32_t row;   ///< bytes from the start of the block
  std::uint8_t level;  ///< the query's own level, or 255 if that is higher still
  std::uint16_t more;  ///< what the query's level has above 255
};

/// Adds, for every node of a block, the sum over rows of the smaller of its level and the query's
/// to `sums`; a node of open level has what the query has. Sums stop at 65535. The same on every
/// machine.
void add_levels(const std::vector<LevelRow>& rows, const BlockRows& blocks, std::uint16_t* sums);

}  // namespace looptree::detail
