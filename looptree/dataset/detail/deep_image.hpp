// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "looptree/features/image.hpp"

namespace looptree::detail {

/// 16 bits to 8, for an image of the size of `image`, rows without padding. Cameras of 10 to 14
/// bits leave the upper ones empty, and thermal ones use a narrow part of the range, so what lies
/// between the darkest and the brightest half percent is spread.
void spread_to_8_bits(const std::uint16_t* pixels, Image& image);

}  // namespace looptree::detail
