// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "looptree/index/detail/forward_list.hpp"
#include "looptree/index/detail/row_plan.hpp"
#include "looptree/index/detail/segment.hpp"
#include "looptree/index/detail/terms.hpp"

namespace looptree::detail {

/// What a query lets a frame score at most, in terms of one layout: a plan for the words that have
/// rows, and what each other word may add, all in the same steps.
///
/// A word adds at most its weight in the query. Where it weighs less than that in a frame, which
/// happens when the frame has it once and the query several times, or when the frame has more
/// words, the heavy rows tell. How much less depends on the scale of the frames, so there is a plan
/// for each class of scales, made when first asked for.
class QueryBounds {
 public:
  struct ListedWord {
    std::uint32_t word;
    std::uint16_t level;  ///< what it may add, in steps
  };

  /// The arguments outlive this.
  QueryBounds(const Terms& query, const WordUnits& units, const RowLayout& layout);

  FixedWeight step() const { return step_; }
  bool has_rows() const { return listed_.size() < query_.size(); }
  const std::vector<ListedWord>& listed() const { return listed_; }
  /// The plan for blocks whose frames have at most this scale.
  const RowPlan& plan(double block_scale);

 private:
  RowPlan make_plan(double scale) const;

  static constexpr double kClasses[] = {0.5, 0.6,  0.7,  0.8,
                                        0.9, 1.02, 1.15, 1.35,
                                        1.7, 2.3,  3.5,  std::numeric_limits<double>::infinity()};

  const Terms& query_;
  const WordUnits& units_;
  const RowLayout& layout_;
  double scale_ = 0;
  FixedWeight step_ = 1;
  std::uint32_t listed_levels_ = 0;
  std::vector<ListedWord> listed_;
  std::optional<RowPlan> plans_[std::size(kClasses)];
};

}  // namespace looptree::detail
