// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "looptree/histogram/fixed_point.hpp"
#include "looptree/index/detail/row_layout.hpp"
#include "looptree/index/detail/row_plan.hpp"
#include "looptree/index/detail/scratch.hpp"

namespace looptree::detail {

/// The words of a query that have rows in one layout, in parallel arrays.
struct RowWords {
  ScratchVector<std::uint32_t> words;
  ScratchVector<std::uint32_t> rows;   ///< bytes from the start of a block
  ScratchVector<FixedWeight> weights;  ///< in the query
  ScratchVector<float> units;          ///< of the layout; none before somebody needs them
  std::uint32_t to_heavy = 0;          ///< bytes from a word's row to its heavy row
  PlanSums sums{1};
};

/// Plans that read fewer rows for looser bounds, for a search above a threshold.
///
/// Most frames score far below the threshold, so a bound need not be tight to tell. What there is
/// to spare is spent where it saves most per loss: heavy rows are left out, and words that weigh
/// little are taken to be in every frame. How much may be spent shows in how many blocks have to be
/// counted once more by a tight plan, so that is watched.
class LoosePlans {
 public:
  struct Request {
    std::span<const std::uint32_t> counts;  ///< by row, how many frames have it; outlive the plans
    std::uint32_t frames;                   ///< of how many
    std::uint64_t threshold;                ///< what rows must add up to
    double scale;                           ///< the largest of the frames
  };

  /// The words, with their units, outlive this.
  LoosePlans(const RowWords& words, const Request& request) : words_(words), request_(request) {}

  /// The plan to count the next block by; what it left out is part of its remainder. Null where a
  /// tight plan does better. Good until the next call of either function below.
  const RowPlan* plan();
  /// For frames of a larger scale, from now on.
  void raise_scale(double scale);
  /// To be told after every block counted by one of these, whether it had to be counted once more.
  void counted(bool again);

 private:
  /// What the rows of every word add to a frame's sum, and what it loses on average without them.
  struct Levels {
    ScratchVector<std::uint32_t> light;
    ScratchVector<std::uint32_t> heavy;
    ScratchVector<float> without_row;    // for all of its lines
    ScratchVector<float> without_heavy;  // for one line
    std::uint32_t most = 0;              // of light and heavy levels together
    double mean = 0;
  };
  Levels levels() const;
  float most_loss(const Levels& levels, double spare) const;
  RowPlan make_plan(const Levels& levels, float most_loss) const;

  const RowWords& words_;
  Request request_;
  std::optional<RowPlan> plan_;  // for this care and scale, once it is asked for
  std::size_t care_ = 0;
  std::size_t blocks_ = 0;  // that were counted with this care
  std::size_t again_ = 0;   // and of these, counted once more
};

}  // namespace looptree::detail
