// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "looptree/index/core/workspace.hpp"

namespace looptree::detail {

/// Which rows of a block to add up, and with what impacts, for an upper bound on every frame's
/// score.
///
/// Impacts are whole numbers of quanta, rounded up. Rows come in batches, heaviest first, all rows
/// of a batch counting as much as its heaviest. The sum over rows of impact x bit is then a sum of
/// plain counts: with N_b the number of bits set in all rows up to batch b, it is the sum over b of
/// N_b x (impact of b - impact of b + 1). Counting is cheap in bit planes; the few additions of a
/// whole count are not, so there are a few dozen different impacts.
///
/// The larger a batch, the less it takes to count its rows and the looser the bound. The heaviest
/// rows differ much in impact, those after them little: so the first batches are small, and in a
/// fine plan the others are not much larger. In a rough one two batches each have the same impact:
/// half as many additions.
struct RowPlan {
  enum class Grain : std::uint8_t { rough, coarse, fine };

  /// Sums of impacts fit 16 bits.
  static constexpr std::uint32_t kMaxSum = 0xFFFF;
  /// A row of more impact is entered several times. The largest number of eight bits of which two
  /// are set.
  static constexpr std::uint32_t kMaxImpact = 192;
  /// Rows of the first batches, and how many of these there are: their counts take 7 bit planes.
  static constexpr std::size_t kSmallBatch = 8;
  static constexpr std::size_t kSmallBatches = 15;
  static constexpr std::size_t kSmallRows = kSmallBatch * kSmallBatches;
  /// Rows of the batches after these, and of those in fine plans.
  static constexpr std::size_t kLargeBatch = 64;
  static constexpr std::size_t kFineBatch = 16;
  static constexpr std::size_t batch_rows(Grain grain) {
    return grain == Grain::fine ? kFineBatch : kLargeBatch;
  }
  /// Counts of rows take 13 bit planes.
  static constexpr std::size_t kMaxRows = kSmallRows + 126 * kLargeBatch;

  /// No rows.
  explicit RowPlan(Workspace& workspace, Grain given = Grain::coarse)
      : grain(given),
        impacts(1, std::uint16_t{0}, ScratchAllocator<std::uint16_t>(workspace)),
        rows(ScratchAllocator<std::uint32_t>(workspace)) {}

  Grain grain;
  /// Per batch, falling; behind the last a 0.
  ScratchVector<std::uint16_t> impacts;
  /// How many rows follow the last once more, from the first on: a prefetch that looks ahead need
  /// not turn back.
  static constexpr std::size_t kRepeatedRows = 384;
  /// Bytes from the start of the block, batch after batch; 0, an empty line, as padding. Then
  /// kRepeatedRows more.
  ScratchVector<std::uint32_t> rows;
  /// What frames may score besides, from rows that found no room in the plan.
  std::uint64_t remainder = 0;

  /// Completes `rows`; to be called when everything else is in place.
  void repeat_rows() {
    const std::size_t size = first_row(batches());
    rows.resize(size + kRepeatedRows);
    for (std::size_t i = 0; i < kRepeatedRows; ++i) rows[size + i] = size > 0 ? rows[i] : 0;
  }

  std::size_t batches() const { return impacts.size() - 1; }
  /// By how much the impact falls behind a batch.
  std::uint32_t fall(std::size_t batch) const {
    return impacts[batch] - std::uint32_t{impacts[batch + 1]};
  }

  /// The row that a batch starts with; for the one after the last, how many rows there are.
  std::size_t first_row(std::size_t batch) const { return first_row(batch, grain); }
  static constexpr std::size_t first_row(std::size_t batch, Grain grain) {
    if (batch <= kSmallBatches) return batch * kSmallBatch;
    return kSmallRows + (batch - kSmallBatches) * batch_rows(grain);
  }
  /// How many batches so many rows fill, the last perhaps in part.
  static constexpr std::size_t batches_of(std::size_t rows, Grain grain) {
    if (rows <= kSmallRows) return (rows + kSmallBatch - 1) / kSmallBatch;
    return kSmallBatches + (rows - kSmallRows + batch_rows(grain) - 1) / batch_rows(grain);
  }
};

}  // namespace looptree::detail
