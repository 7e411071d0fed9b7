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
  std::span<const float> units;  ///< parallel
  double scale;                  ///< of the frames: a word not heavy there weighs unit x scale
  FixedWeight step;              ///< what a level stands for
};

/// What comes out, in parallel arrays of levels.
struct SplitResult {
  std::uint32_t* light;
  std::uint32_t* heavy;
};

/// A heavy row that could take off less than this part of a word's weight is not worth reading.
inline constexpr float kWorthARow = 0.06F;

/// What every word may add to a frame's score, as levels that are rounded up: into `light` where
/// the frame has it at all, into `heavy` besides where it is heavy there. Where a split is not
/// worth it, all of the weight is light and `heavy` is 0. No weight is 65536 steps or more. The
/// same on every machine. Returns the most that light and heavy levels of a word add up to.
std::uint32_t split_levels(const SplitRequest& request, const SplitResult& result);

/// What every word may add to the score of any frame: as above where nothing is split. Returns the
/// highest.
std::uint32_t whole_levels(std::span<const FixedWeight> weights, FixedWeight step,
                           std::uint32_t* levels);

/// Rows of words and what they add, which those of the heavy rows are to follow.
struct HeavyRequest {
  std::span<const std::uint32_t> heavy;  ///< by word, as split_levels() gives them
  std::uint32_t to_heavy;                ///< bytes from a word's row to its heavy row
  std::uint32_t* rows;                   ///< by word; room for kHeavyRoom more than twice as many
  std::uint32_t* levels;                 ///< likewise
};
inline constexpr std::size_t kHeavyRoom = 16;

/// Writes the heavy rows of the words that have a level for it, in order, behind the rows of all
/// words; returns how many rows there are then. What lies behind these may be overwritten.
std::size_t append_heavy(const HeavyRequest& request);

}  // namespace looptree::detail
