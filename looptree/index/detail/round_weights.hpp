// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/histogram/fixed_point.hpp"

namespace looptree::detail {

/// What came out of rounding.
struct RoundedWeights {
  std::uint64_t sum;
  std::size_t zeros;
};

/// to_fixed() of each of the weights, which are finite and not negative, into `rounded`. The same
/// on every machine.
RoundedWeights round_weights(std::span<const double> weights, FixedWeight* rounded);

}  // namespace looptree::detail
