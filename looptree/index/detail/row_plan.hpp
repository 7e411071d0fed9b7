// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/histogram/fixed_point.hpp"

namespace looptree::detail {

/// Frames side by side in one row of bits, and so in one block.
inline constexpr std::uint32_t kRowBits = 512;
inline constexpr std::size_t kLine = kRowBits / 8;
/// Rows that are added up in one go.
inline constexpr std::size_t kUnitRows = 16;

/// Which rows of a block to add up, and with what weights, for an upper bound on every frame's
/// score.
///
/// Weights are whole numbers of a common step, rounded up. Rows come in units of 16, heaviest
/// first, all rows of a unit counting as much as its heaviest. The sum over rows of weight x bit is
/// then a sum of plain counts: with N_u the number of bits set in all rows up to unit u, it is the
/// sum over u of N_u x (weight of u - weight of u + 1). Counting is cheap in bit planes; the few
/// additions of a whole count are not, so weights are kept to a few dozen different ones.
struct RowPlan {
  struct Unit {
    std::uint32_t gap;  ///< weight of this unit less the weight of the next
    bool masked;        ///< each row counts only where the mask row has a bit, too
  };
  /// Sums of levels fit 16 bits.
  static constexpr std::uint32_t kMaxSum = 0xFFFF;

  FixedWeight step = 1;
  std::vector<Unit> units;
  std::vector<std::uint32_t>
      rows;  ///< 16 per unit: lines of the block, 0 (always empty) as padding
  std::vector<std::uint32_t> masks;  ///< parallel to rows, where the unit is masked
  /// What frames may score besides, from words that found no room in the plan.
  std::uint64_t remainder = 0;

  /// The least sum of a frame that may score `threshold`; 0 if any may.
  std::uint32_t least_sum(FixedWeight threshold) const {
    if (threshold <= remainder) return 0;
    const std::uint64_t sum = (threshold - remainder + step - 1) / step;
    return sum > kMaxSum ? kMaxSum + 1 : static_cast<std::uint32_t>(sum);
  }
};

/// Collects rows with their weights and makes the plan.
class RowPlanner {
 public:
  /// Weights are counted in steps; no frame's sum may exceed `max_sum`.
  RowPlanner(FixedWeight step, std::uint32_t max_sum) : step_(step), max_sum_(max_sum) {}

  /// A row that may add `weight` to a score, where `mask` (a line, or 0 for none) has a bit, too.
  void add(std::uint32_t row, std::uint32_t mask, FixedWeight weight) {
    (mask == 0 ? plain_ : masked_).push_back({row, mask, (weight + step_ - 1) / step_});
  }
  /// Ends the planner's use.
  RowPlan make();

 private:
  struct Entry {
    std::uint32_t row;
    std::uint32_t mask;
    std::uint32_t level;
  };
  static void sort_by_level(std::vector<Entry>& entries);

  FixedWeight step_;
  std::uint32_t max_sum_;
  std::vector<Entry> plain_;
  std::vector<Entry> masked_;
};

}  // namespace looptree::detail
