// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "looptree/histogram/fixed_point.hpp"

namespace looptree::detail {

/// The words of a query, and the frames that a bound is wanted for.
struct SplitRequest {
  std::span<const FixedWeight> weights;
  std::span<const float> units;  ///< parallel; what one occurrence weighs, rounded up
  double scale;                  ///< of the frames: a word not heavy there weighs unit x scale
  double per_step;               ///< levels per weight
};

/// A heavy row that could take off less than this part of a word's weight is not worth reading.
inline constexpr double kWorthARow = 0.06;

/// What every word may add to a frame's score, as levels that are rounded up: into `light` where
/// the frame has it at all, into `heavy` besides where it is heavy there. Where a split is not
/// worth it, all of the weight is light and `heavy` is 0. The same on every machine.
void split_levels(const SplitRequest& request, std::uint32_t* light, std::uint32_t* heavy);

}  // namespace looptree::detail
