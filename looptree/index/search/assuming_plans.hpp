// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "looptree/histogram/fixed_point.hpp"
#include "looptree/index/core/workspace.hpp"
#include "looptree/index/search/row_plans.hpp"

namespace looptree::detail {

/// The words of a query that have rows in one layout, in parallel arrays.
struct RowWords {
  explicit RowWords(Workspace& workspace)
      : words(ScratchAllocator<std::uint32_t>(workspace)),
        rows(ScratchAllocator<std::uint32_t>(workspace)),
        weights(ScratchAllocator<FixedWeight>(workspace)),
        idf(ScratchAllocator<float>(workspace)) {}

  ScratchVector<std::uint32_t> words;
  ScratchVector<std::uint32_t> rows;   ///< of presence: bytes from the start of a block
  ScratchVector<FixedWeight> weights;  ///< in the query
  ScratchVector<float> idf;            ///< rounded up; none before somebody needs them
  std::uint32_t to_repeated = 0;       ///< bytes from a word's presence row to its repeated row
  PlanSums sums{1};
};

/// Plans that read fewer rows for looser bounds, for a search above a threshold.
///
/// Most frames score far below the threshold, so a bound need not be tight to tell. The distance is
/// spent on rows that are not read: words that weigh little are assumed to be in every frame, and
/// others to occur as often as in the query wherever they occur, those first that save most per
/// loss. How much may be spent shows in how many blocks have to be counted once more by a tight
/// plan, so that is watched.
class AssumingPlans {
 public:
  struct Request {
    std::span<const std::uint32_t> counts;  ///< by row, how many frames have it; outlive the plans
    std::uint32_t frames;                   ///< of how many
    std::uint64_t threshold;                ///< what rows must add up to
    double scale;                           ///< the largest of the frames
  };

  /// The words, with their idf, outlive this.
  AssumingPlans(const RowWords& words, const Request& request, Workspace& workspace)
      : words_(words), request_(request), workspace_(workspace) {}

  /// The plan to count the next block by; what it assumes is part of its remainder. Null where a
  /// tight plan does better. Good until the next call of either function below.
  const RowPlan* plan();
  /// For frames of a larger scale, from now on.
  void raise_scale(double scale);
  /// To be told after every block counted by one of these, whether it had to be counted once more.
  void counted(bool again);

 private:
  /// The impacts of every word, and what a bound loses on average where its rows are not read.
  struct Impacts {
    ScratchVector<std::uint32_t> once;
    ScratchVector<std::uint32_t> repeated;
    ScratchVector<float> without_row;       // neither row
    ScratchVector<float> without_repeated;  // the repeated row alone
    std::uint32_t most = 0;                 // of both impacts of a word together
    double mean = 0;                        // of what frames add up to
  };
  Impacts impacts() const;
  float most_loss(const Impacts& impacts, double spare) const;
  RowPlan make_plan(const Impacts& impacts, float most_loss) const;

  const RowWords& words_;
  Request request_;
  Workspace& workspace_;
  std::optional<RowPlan> plan_;  // for this care and scale, once it is asked for
  std::size_t care_ = 0;
  std::size_t blocks_ = 0;  // that were counted with this care
  std::size_t again_ = 0;   // and of these, counted once more
};

}  // namespace looptree::detail
