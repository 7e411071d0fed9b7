// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "looptree/histogram/fixed_point.hpp"

namespace looptree::detail {

/// What a word weighs that occurs `tf` times in a frame of this factor. A damaged file may ask for
/// more than any image weighs: that becomes the largest number there is.
inline FixedWeight weight_of(std::uint32_t tf, double idf, double factor) {
  constexpr double kLargest = ~FixedWeight{0};
  return static_cast<FixedWeight>(std::min(tf * idf * factor + 0.5, kLargest));
}

/// What a repeated word adds to a score beyond one that occurs once, where it weighs `asked` in the
/// query.
inline FixedWeight surplus_of(std::uint32_t tf, double idf, double factor, FixedWeight asked) {
  return std::min(asked, weight_of(tf, idf, factor)) - std::min(asked, weight_of(1, idf, factor));
}

}  // namespace looptree::detail
