// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/histogram/fixed_point.hpp"

namespace looptree::detail {

/// Frames side by side in one row of bits, and so in one block.
inline constexpr std::uint32_t kRowBits = 512;
inline constexpr std::uint32_t kLine = kRowBits / 8;
/// Rows that are added up in one go.
inline constexpr std::uint32_t kUnitRows = 16;

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
    std::uint32_t first;  ///< index of its first row
    std::uint16_t gap;    ///< weight of this unit less the weight of the next
    bool masked;          ///< each row counts only where the mask row has a bit, too
  };
  /// Sums of levels fit 16 bits.
  static constexpr std::uint32_t kMaxSum = 0xFFFF;

  FixedWeight step = 1;
  std::vector<Unit> units;
  /// Bytes from the start of the block; 0, an empty line, as padding.
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> masks;  ///< parallel to rows
  /// What frames may score besides, from rows that found no room in the plan.
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
  /// Weights are counted in steps. Room is kept for `rows` rows.
  RowPlanner(FixedWeight step, std::size_t rows);

  /// A row that may add `weight` to a score; in lines of the block.
  void add(std::uint32_t row, FixedWeight weight) { add(plain_, row, 0, weight); }
  /// One that does so only where the row `mask` has a bit, too.
  void add(std::uint32_t row, std::uint32_t mask, FixedWeight weight) {
    add(masked_, row, mask, weight);
  }
  /// No frame's sum exceeds `max_sum`, at most 65535.
  RowPlan make(std::uint32_t max_sum);

 private:
  /// A row that weighs more is entered several times.
  static constexpr std::uint32_t kMaxLevel = 255;

  struct Entry {
    std::uint32_t row;
    std::uint32_t mask;
    std::uint32_t level;
  };
  struct Kind {
    std::vector<Entry> entries;
    std::array<std::uint32_t, kMaxLevel + 2>
        starts{};  // counts, by kMaxLevel - level, one further on
  };

  void add(Kind& kind, std::uint32_t row, std::uint32_t mask, FixedWeight weight) {
    // Rounded up, and by one too much where it was whole.
    auto level = static_cast<std::uint32_t>(weight * per_step_) + 1;
    for (; level > kMaxLevel; level -= kMaxLevel) push(kind, row, mask, kMaxLevel);
    push(kind, row, mask, level);
  }
  static void push(Kind& kind, std::uint32_t row, std::uint32_t mask, std::uint32_t level) {
    kind.entries.push_back({row * kLine, mask * kLine, level});
    ++kind.starts[kMaxLevel - level + 1];
  }
  static std::vector<std::uint16_t> append_sorted(Kind& kind, RowPlan& plan);

  FixedWeight step_;
  double per_step_;
  Kind plain_;
  Kind masked_;
};

}  // namespace looptree::detail
