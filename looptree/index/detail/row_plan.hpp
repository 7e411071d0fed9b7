// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "looptree/histogram/fixed_point.hpp"
#include "looptree/index/detail/scratch.hpp"

namespace looptree::detail {

/// Frames side by side in one row of bits, and so in one block.
inline constexpr std::uint32_t kRowBits = 512;
inline constexpr std::uint32_t kLine = kRowBits / 8;

/// Which rows of a block to add up, and with what weights, for an upper bound on every frame's
/// score.
///
/// Weights are whole numbers of a common step, rounded up. Rows come in units, heaviest first, all
/// rows of a unit counting as much as its heaviest. The sum over rows of weight x bit is then a sum
/// of plain counts: with N_u the number of bits set in all rows up to unit u, it is the sum over u
/// of N_u x (weight of u - weight of u + 1). Counting is cheap in bit planes; the few additions of
/// a whole count are not, so weights are kept to a few dozen different ones.
///
/// The larger a unit, the less it takes to count its rows and the looser the bound. The heaviest
/// rows differ much in weight, those after them little: so the first units are small, and in a fine
/// plan the others are not much larger. In a rough one two units each have the same level: half as
/// many additions.
struct RowPlan {
  enum class Grain : std::uint8_t { rough, coarse, fine };

  /// Sums of levels fit 16 bits.
  static constexpr std::uint32_t kMaxSum = 0xFFFF;
  /// A row that weighs more is entered several times. The largest number of eight bits of which two
  /// are set.
  static constexpr std::uint32_t kMaxLevel = 192;
  /// Rows of the first units, and how many of these there are: their counts take 7 bit planes.
  static constexpr std::size_t kSmallUnit = 8;
  static constexpr std::size_t kSmallUnits = 15;
  static constexpr std::size_t kSmallRows = kSmallUnit * kSmallUnits;
  /// Rows of the units after these, and of those in fine plans.
  static constexpr std::size_t kLargeUnit = 64;
  static constexpr std::size_t kFineUnit = 16;
  static constexpr std::size_t unit_rows(Grain grain) {
    return grain == Grain::fine ? kFineUnit : kLargeUnit;
  }
  /// Counts of rows take 13 bit planes.
  static constexpr std::size_t kMaxRows = kSmallRows + 126 * kLargeUnit;

  Grain grain = Grain::coarse;
  /// Per unit, falling; behind the last a 0.
  ScratchVector<std::uint16_t> levels = {0};
  /// How many rows follow the last once more, from the first on: who looks ahead need not turn
  /// back.
  static constexpr std::size_t kRepeated = 384;
  /// Bytes from the start of the block, unit after unit; 0, an empty line, as padding. Then
  /// kRepeated more.
  ScratchVector<std::uint32_t> rows;
  /// What frames may score besides, from rows that found no room in the plan.
  std::uint64_t remainder = 0;

  /// To be called when everything else is in place.
  void repeat_rows();

  std::size_t units() const { return levels.size() - 1; }
  std::uint32_t gap(std::size_t unit) const {
    return levels[unit] - std::uint32_t{levels[unit + 1]};
  }

  /// The row that a unit starts with; for the one after the last, how many rows there are.
  std::size_t first_row(std::size_t unit) const { return first_row(unit, grain); }
  static constexpr std::size_t first_row(std::size_t unit, Grain grain) {
    if (unit <= kSmallUnits) return unit * kSmallUnit;
    return kSmallRows + (unit - kSmallUnits) * unit_rows(grain);
  }
  /// How many units so many rows fill, the last perhaps in part.
  static constexpr std::size_t units_of(std::size_t rows, Grain grain) {
    if (rows <= kSmallRows) return (rows + kSmallUnit - 1) / kSmallUnit;
    return kSmallUnits + (rows - kSmallRows + unit_rows(grain) - 1) / unit_rows(grain);
  }
};

/// Rows for a plan, in parallel arrays.
struct PlanRows {
  ScratchVector<std::uint32_t> rows;    ///< bytes from the start of the block
  ScratchVector<std::uint32_t> levels;  ///< what a row adds to a frame's sum
  std::uint32_t most;                   ///< that no level exceeds
};

/// What the sums of a plan are made of.
struct PlanSums {
  FixedWeight step;
  std::uint32_t max_sum = RowPlan::kMaxSum;  ///< that no frame's sum exceeds
};

RowPlan make_row_plan(PlanRows given, const PlanSums& sums, RowPlan::Grain grain);

}  // namespace looptree::detail
