// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/row_plan.hpp"

#include <span>

namespace looptree::detail {
namespace {

/// Counts of rows take 13 bit planes.
constexpr std::size_t kMaxRows = 8176;

}  // namespace

RowPlanner::RowPlanner(FixedWeight step, std::size_t rows) : step_(step), per_step_(1.0 / step) {
  plain_.entries.reserve(rows);
  masked_.entries.reserve(rows / 4);
}

/// Appends the rows to the plan by falling level, padded to whole units, and returns the level of
/// every unit. By counting: a comparison sort would take longer than searching thousands of frames.
std::vector<std::uint16_t> RowPlanner::append_sorted(Kind& kind, RowPlan& plan) {
  std::vector<std::uint16_t> unit_levels;
  unit_levels.reserve(kind.entries.size() / kUnitRows + 1);
  auto& starts = kind.starts;
  for (std::uint32_t i = 1; i < starts.size(); ++i) {
    starts[i] += starts[i - 1];
    // The units that begin among the rows of this level.
    while (unit_levels.size() * kUnitRows < starts[i]) {
      unit_levels.push_back(static_cast<std::uint16_t>(kMaxLevel - (i - 1)));
    }
  }
  const std::size_t base = plan.rows.size();
  plan.rows.resize(base + unit_levels.size() * kUnitRows, 0);
  plan.masks.resize(plan.rows.size(), 0);
  for (const Entry& entry : kind.entries) {
    const std::size_t at = base + starts[kMaxLevel - entry.level]++;
    plan.rows[at] = entry.row;
    plan.masks[at] = entry.mask;
  }
  return unit_levels;
}

RowPlan RowPlanner::make(std::uint32_t max_sum) {
  RowPlan plan;
  plan.step = step_;
  const std::vector<std::uint16_t> plain_levels = append_sorted(plain_, plan);
  const auto first_masked = static_cast<std::uint32_t>(plan.rows.size());
  const std::vector<std::uint16_t> masked_levels = append_sorted(masked_, plan);

  // Units of either kind by falling level, as long as counts and sums have room for them.
  std::span<const std::uint16_t> plain_left = plain_levels;
  std::span<const std::uint16_t> masked_left = masked_levels;
  plan.units.reserve(plain_levels.size() + masked_levels.size());
  std::uint64_t sum = 0;
  std::uint16_t previous = 0;
  while (!plain_left.empty() || !masked_left.empty()) {
    const bool is_masked =
        plain_left.empty() || (!masked_left.empty() && masked_left.front() > plain_left.front());
    std::span<const std::uint16_t>& from = is_masked ? masked_left : plain_left;
    const std::uint16_t level = from.front();
    const std::size_t done =
        is_masked ? masked_levels.size() - from.size() : plain_levels.size() - from.size();
    sum += std::uint64_t{level} * kUnitRows;
    if (sum > max_sum || (plan.units.size() + 1) * kUnitRows > kMaxRows) break;
    if (!plan.units.empty()) plan.units.back().gap = static_cast<std::uint16_t>(previous - level);
    previous = level;
    const auto first =
        static_cast<std::uint32_t>(done * kUnitRows + (is_masked ? first_masked : 0));
    plan.units.push_back({first, level, is_masked});
    from = from.subspan(1);
  }
  for (const auto left : {plain_left, masked_left}) {
    for (const std::uint16_t level : left)
      plan.remainder += std::uint64_t{level} * kUnitRows * step_;
  }
  return plan;
}

}  // namespace looptree::detail
