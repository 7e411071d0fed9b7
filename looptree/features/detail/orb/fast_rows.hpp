// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "looptree/features/image_view.hpp"

namespace looptree::detail {

/// FAST-9 along row `y`, columns [left, right): scores[x] is how much nine neighbours on the ring
/// of (x, y) are all brighter, or all darker, than it, where that is more than thresholds[x], and 0
/// elsewhere. Columns are at least three pixels from the border, and 64 bytes behind `right` + 3
/// can be read, unless there are 64 columns or more. `scores` and `thresholds` have room for 64
/// more.
void score_row(const ImageView& image, int y, int left, int right, const std::uint8_t* thresholds,
               std::uint8_t* scores);

/// The columns [left, right) of the middle row that score more than all eight neighbours, in order;
/// returns how many. Rows have 64 readable bytes behind them.
std::size_t find_peaks(const std::uint8_t* above, const std::uint8_t* row,
                       const std::uint8_t* below, int left, int right, std::uint32_t* peaks);

}  // namespace looptree::detail
