// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/histogram/fixed_point.hpp"

namespace looptree::detail {

/// The words of a query, and the frames that a bound is wanted for.
struct SplitRequest {
  std::span<const FixedWeight> weights;
  std::span<const float> idf;  ///< parallel, rounded up
  double scale;                ///< of the frames: a word that occurs once weighs idf x scale
  FixedWeight quantum;         ///< what an impact of 1 stands for
};

/// What comes out, in parallel arrays of impacts.
struct SplitResult {
  std::uint32_t* once;
  std::uint32_t* repeated;
};

/// A repeated row that could take off less than this part of a word's weight is not worth reading.
inline constexpr float kWorthARow = 0.06F;

/// What every word may add to a frame's score, as impacts: `once` where the frame has it at all,
/// and `repeated` besides where it is repeated there. Where a split is not worth it, all of the
/// weight goes to `once` and `repeated` is 0. No weight is 65536 quanta or more. The same on every
/// machine. Returns the most that both impacts of a word add up to.
std::uint32_t split_impacts(const SplitRequest& request, const SplitResult& result);

/// What every word may add to the score of any frame: as above where nothing is split. Returns the
/// highest.
std::uint32_t whole_impacts(std::span<const FixedWeight> weights, FixedWeight quantum,
                            std::uint32_t* impacts);

}  // namespace looptree::detail
