// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "looptree/index/detail/block_rows.hpp"
#include "looptree/index/detail/row_plan.hpp"

namespace looptree::detail {

/// The sum of every frame of a block over the rows of a plan, by bits: plane i holds bit i of each.
/// The same on every machine.
struct RowSums {
  static constexpr std::size_t kPlanes = 16;

  RowSums(const RowPlan& plan, const BlockRows& rows);

  /// That of one frame.
  std::uint16_t of(std::uint32_t frame) const {
    std::uint64_t sum = 0;
    for (std::size_t plane = 0; plane < kPlanes; ++plane) {
      sum |= (planes[plane][frame / 64] >> (frame % 64) & 1) << plane;
    }
    return static_cast<std::uint16_t>(sum);
  }

  alignas(kLine) std::uint64_t planes[kPlanes][kRowBits / 64];
};

}  // namespace looptree::detail
