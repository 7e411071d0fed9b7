// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "looptree/index/detail/forward_list.hpp"
#include "looptree/index/detail/loose_plans.hpp"
#include "looptree/index/detail/row_plan.hpp"
#include "looptree/index/detail/segment.hpp"
#include "looptree/index/detail/terms.hpp"

namespace looptree::detail {

/// How a sum of steps reads as a bound.
struct SumBound {
  FixedWeight step;
  std::uint64_t remainder;  ///< what any frame may score besides

  std::uint64_t of(std::uint16_t sum) const { return remainder + std::uint64_t{sum} * step; }
  /// The least sum above zero whose bound reaches the threshold.
  std::uint32_t least(std::uint64_t threshold) const {
    if (threshold <= remainder + step) return 1;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>((threshold - remainder + step - 1) / step, RowPlan::kMaxSum + 1));
  }
};

/// What a query lets a frame score at most, in terms of one layout: a plan for the words that have
/// rows, and what each other word may add, all in the same steps.
///
/// A word adds at most its weight in the query. Where it weighs less than that in a frame, which
/// happens when the frame has it once and the query several times, or when the frame has more
/// words, the heavy rows tell. How much less depends on the scale of the frames, so there are
/// several plans, each made when a block first needs it.
class QueryBounds {
 public:
  struct ListedWord {
    std::uint32_t word;
    std::uint16_t level;  ///< what it may add, in steps
  };

  /// The layout outlives this.
  QueryBounds(const Terms& query, const RowLayout& layout);
  QueryBounds(const QueryBounds&) = delete;  // loose plans refer to the words
  QueryBounds& operator=(const QueryBounds&) = delete;

  FixedWeight step() const { return words_.sums.step; }
  bool has_rows() const { return !words_.weights.empty(); }
  const ScratchVector<ListedWord>& listed() const { return listed_; }
  /// What all of them together may add.
  std::uint64_t listed_total() const { return std::uint64_t{listed_levels_} * step(); }
  /// What any frame may score besides, from words that are so many that sums have no room for them.
  std::uint64_t remainder() const { return remainder_; }
  /// What a frame may score on average, from words with rows alone, if it had every word it has as
  /// often as the query: by how many of `frames` have the word of each row, and by a sample of
  /// words.
  double mean_bound(std::span<const std::uint32_t> row_counts, std::uint32_t frames) const;
  /// The plan for blocks whose frames have at most this scale.
  const RowPlan& plan(double block_scale, RowPlan::Grain grain);
  /// A rough plan for all blocks, which reads no heavy rows: looser, and made in half the time.
  const RowPlan& whole_plan();
  /// Plans of fewer rows, for a search above a threshold; the request differs in nothing but the
  /// scale from call to call.
  LoosePlans& loose_plans(const LoosePlans::Request& request) {
    if (!loose_plans_) {
      find_units();
      loose_plans_.emplace(words_, request);
    }
    loose_plans_->raise_scale(request.scale);
    return *loose_plans_;
  }

 private:
  struct ScaledPlan {
    double scale;
    bool full;  ///< made of all that the words weigh, so as good for any larger scale
    RowPlan plan;
  };
  /// Fills in the words that have rows, and returns which of the query's have none.
  ScratchVector<std::uint32_t> find_rows(const Terms& query);
  /// Fills in those of the words, when they are first needed.
  void find_units();
  ScaledPlan make_plan(double scale, RowPlan::Grain grain);

  const RowLayout& layout_;
  std::uint32_t listed_levels_ = 0;
  std::uint64_t remainder_ = 0;
  RowWords words_;
  ScratchVector<ListedWord> listed_;
  std::optional<LoosePlans> loose_plans_;
  std::optional<RowPlan> whole_plan_;
  std::deque<ScaledPlan> plans_;  // a deque: references to plans stay good
};

}  // namespace looptree::detail
