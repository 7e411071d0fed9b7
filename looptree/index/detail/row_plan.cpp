// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/row_plan.hpp"

#include <algorithm>
#include <array>

namespace looptree::detail {
namespace {

/// A row that weighs more is entered several times.
constexpr std::uint32_t kMaxLevel = 255;
/// Counts of rows take 13 bit planes.
constexpr std::size_t kMaxRows = 8176;

/// Appends the rows to the plan by falling level, padded to whole units, and returns the level of
/// every unit. By counting: a comparison sort would take longer than searching thousands of frames.
std::vector<std::uint16_t> append_sorted(std::span<const WeightedRow> rows, RowPlan& plan) {
  const double per_step = 1.0 / plan.step;
  std::array<std::uint32_t, kMaxLevel + 2> starts{};  // by kMaxLevel - level
  thread_local std::vector<std::uint32_t> levels;
  levels.resize(std::max(levels.size(), rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Rounded up, and by one too much where it was whole.
    levels[i] = static_cast<std::uint32_t>(rows[i].weight * per_step) + 1;
    std::uint32_t level = levels[i];
    for (; level > kMaxLevel; level -= kMaxLevel) ++starts[1];
    ++starts[kMaxLevel - level + 1];
  }
  std::vector<std::uint16_t> unit_levels;
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
  const auto place = [&](const WeightedRow& row, std::uint32_t level) {
    const std::size_t at = base + starts[kMaxLevel - level]++;
    plan.rows[at] = row.row * kLine;
    plan.masks[at] = row.mask * kLine;
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (; levels[i] > kMaxLevel; levels[i] -= kMaxLevel) place(rows[i], kMaxLevel);
    place(rows[i], levels[i]);
  }
  return unit_levels;
}

}  // namespace

RowPlan make_row_plan(std::span<const WeightedRow> plain, std::span<const WeightedRow> masked,
                      FixedWeight step, std::uint32_t max_sum) {
  RowPlan plan;
  plan.step = step;
  const std::vector<std::uint16_t> plain_levels = append_sorted(plain, plan);
  const auto first_masked = static_cast<std::uint32_t>(plan.rows.size());
  const std::vector<std::uint16_t> masked_levels = append_sorted(masked, plan);

  // Units of either kind by falling level, as long as counts and sums have room for them.
  std::span<const std::uint16_t> plain_left = plain_levels;
  std::span<const std::uint16_t> masked_left = masked_levels;
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
      plan.remainder += std::uint64_t{level} * kUnitRows * step;
  }
  return plan;
}

}  // namespace looptree::detail
