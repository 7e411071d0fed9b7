// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "looptree/index/kernels/dispatch.hpp"
#include "looptree/index/kernels/row_plan.hpp"

namespace looptree::detail {

/// The sum of every frame of a block over the rows of a plan, bit-sliced: plane i holds bit i of
/// the sums of all 512 frames. Counted with carry-save adders, so nothing but and, or and xor is
/// needed and any vector width does. The same on every machine.
struct BlockSums {
  static constexpr std::size_t kPlanes = 16;

  BlockSums(const RowPlan& plan, const BlockRows& rows);

  /// The sum of one frame.
  std::uint16_t of(std::uint32_t frame) const {
    std::uint64_t sum = 0;
    for (std::size_t plane = 0; plane < kPlanes; ++plane) {
      sum |= (planes[plane][frame / 64] >> (frame % 64) & 1) << plane;
    }
    return static_cast<std::uint16_t>(sum);
  }

  alignas(kLine) std::uint64_t planes[kPlanes][kBlockFrames / 64];
};

}  // namespace looptree::detail
