// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "looptree/features/detail/learned/active_map.hpp"

namespace looptree::detail {

/// sum = b + c, twice as wide and high, + d, four times as wide and high, at most 127. `rows` keeps
/// its memory for the next call.
void add_scales(const ActiveMap& b, const ActiveMap& c, const ActiveMap& d, ActiveMap& sum,
                std::vector<std::uint16_t>& rows);

/// The channels of a map at (gx, gy), in 64ths of a cell from the middle of the first one.
void sample(const ActiveMap& map, int gx, int gy, std::uint8_t* target);

}  // namespace looptree::detail
