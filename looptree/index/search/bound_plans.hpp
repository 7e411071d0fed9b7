// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/index/core/idf_table.hpp"
#include "looptree/index/frames/row_layout.hpp"
#include "looptree/index/search/assuming_plans.hpp"
#include "looptree/index/search/row_plans.hpp"

namespace looptree::detail {

/// How a sum of impacts reads as an upper bound.
struct SumBound {
  FixedWeight quantum;
  std::uint64_t remainder;  ///< what any frame may score besides

  std::uint64_t of(std::uint16_t sum) const { return remainder + std::uint64_t{sum} * quantum; }
  /// The least sum above zero whose bound reaches the threshold.
  std::uint32_t least(std::uint64_t threshold) const {
    if (threshold <= remainder + quantum) return 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(
        (threshold - remainder + quantum - 1) / quantum, RowPlan::kMaxSum + 1));
  }
};

/// What a query lets a frame score at most, in terms of one layout: plans for the words that have
/// rows, and the impacts of the rare words, which have posting lists; all in the same quanta.
///
/// A word adds at most its weight in the query. Where it weighs less than that in a frame, which
/// happens when the frame has it once and the query several times, or when the frame has more
/// words, the repeated rows tell. How much less depends on the scale of the frames, so there are
/// several plans, each made when a block first needs it.
class BoundPlans {
 public:
  struct RareWord {
    std::uint32_t word;
    std::uint16_t impact;
  };

  /// What is given outlives this.
  BoundPlans(const FixedView& query, const RowLayout& layout, const IdfTable& idf,
             Workspace& workspace);
  BoundPlans(const BoundPlans&) = delete;  // assuming plans refer to the words
  BoundPlans& operator=(const BoundPlans&) = delete;

  FixedWeight quantum() const { return words_.sums.quantum; }
  bool has_rows() const { return !words_.weights.empty(); }
  const ScratchVector<RareWord>& rare_words() const { return rare_words_; }
  /// What all rare words together may add.
  std::uint64_t rare_total() const { return std::uint64_t{rare_impacts_} * quantum(); }
  /// What any frame may score besides, from words that are so many that sums have no room for them.
  std::uint64_t remainder() const { return remainder_; }
  /// The mean of what frames may score from words with rows, if they had every word as often as the
  /// query: by the document frequency of each row in `frames` frames, and by a sample of words.
  double mean_bound(std::span<const std::uint32_t> row_counts, std::uint32_t frames) const;

  /// The tight plan, for blocks whose frames have at most this scale: presence rows and repeated
  /// rows.
  const RowPlan& plan(double block_scale, RowPlan::Grain grain);
  /// A rough plan for all blocks, of presence rows alone: looser, and made in half the time.
  const RowPlan& presence_plan();
  /// Plans of fewer rows still, for a search above a threshold; the request differs in nothing but
  /// the scale from call to call.
  AssumingPlans& assuming_plans(const AssumingPlans::Request& request);

 private:
  struct ScaledPlan {
    double scale;
    bool full;  ///< made of all that the words weigh, so as good for any larger scale
    RowPlan plan;
  };
  /// Fills in the words that have rows, and returns which of the query's have none.
  ScratchVector<std::uint32_t> find_rows(const FixedView& query);
  /// The quantum: fine for the mean word, and so that sums fit 16 bits.
  FixedWeight choose_quantum(const FixedView& query, std::uint64_t rare_weight) const;
  void add_rare(const FixedView& query, const ScratchVector<std::uint32_t>& without_row);
  /// Fills in the idf of the words, when they are first needed.
  void find_idf();
  ScaledPlan make_plan(double scale, RowPlan::Grain grain);

  const RowLayout& layout_;
  const IdfTable& idf_;
  Workspace& workspace_;
  std::uint32_t rare_impacts_ = 0;
  std::uint64_t remainder_ = 0;
  RowWords words_;
  ScratchVector<RareWord> rare_words_;
  std::optional<AssumingPlans> assuming_plans_;
  std::optional<RowPlan> presence_plan_;
  std::deque<ScaledPlan> plans_;  // a deque: references to plans stay good
};

}  // namespace looptree::detail
