// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "looptree/histogram/fixed_point.hpp"
#include "looptree/index/kernels/row_plan.hpp"

namespace looptree::detail {

/// Rows for a plan, in parallel arrays and in any order.
struct PlanRows {
  ScratchVector<std::uint32_t> rows;     ///< bytes from the start of the block
  ScratchVector<std::uint32_t> impacts;  ///< what a row adds to a frame's sum
  std::uint32_t most;                    ///< that no impact exceeds
};

/// What the sums of a plan are made of.
struct PlanSums {
  FixedWeight quantum;
  std::uint32_t max_sum = RowPlan::kMaxSum;  ///< that no frame's sum exceeds
};

RowPlan make_row_plan(PlanRows given, const PlanSums& sums, RowPlan::Grain grain);

}  // namespace looptree::detail
