// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "looptree/index/core/bits.hpp"
#include "looptree/index/kernels/count_rows.hpp"

// What the frames of a block have added up to, bit-sliced or one number per frame. The same on
// every machine.

namespace looptree::detail {

/// The frames whose sum reaches `least`, which lies in [1, 65536].
FrameBits frames_reaching(const BlockSums& sums, std::uint32_t least);

/// Adds bit-sliced sums to `sums`, one per frame.
void add_block_sums(const BlockSums& rows, std::uint16_t* sums);

/// Raises the sums of the kept frames to `least`, and makes those of the others 0.
void keep_sums(const FrameBits& kept, std::uint16_t least, std::uint16_t* sums);

/// The frames of a block whose sum reaches `least`.
FrameBits sums_reaching(const std::uint16_t* sums, std::uint32_t least);

/// The frames of a block in 32 sets, every 32nd in one: places seen again come in runs, and so fall
/// into different sets.
using SetSums = std::array<std::uint16_t, 32>;
/// The highest sum of every set.
SetSums highest_sums(const std::uint16_t* sums);

}  // namespace looptree::detail
