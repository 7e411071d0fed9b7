// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/row_plan.hpp"

#include <array>
#include <utility>

namespace looptree::detail {
namespace {

/// Appends the rows to the plan by falling level, padded to whole units, and returns the level of
/// every unit. By counting: a comparison sort would take longer than searching thousands of frames.
std::vector<std::uint16_t> append_sorted(const PlanRows& given, RowPlan& plan) {
  constexpr std::uint32_t kMost = RowPlan::kMaxLevel;
  std::array<std::uint32_t, kMost + 1> starts{};  // by level; first counts, then places
  for (std::uint32_t level : given.levels) {
    // A row too heavy for one entry gets several.
    for (; level > kMost; level -= kMost) ++starts[kMost];
    ++starts[level];
  }
  std::vector<std::uint16_t> units;
  units.reserve(given.levels.size() / kUnitRows + 8);
  std::uint32_t placed = 0;
  for (std::uint32_t level = kMost; level > 0; --level) {
    placed += std::exchange(starts[level], placed);
    while (units.size() * kUnitRows < placed) units.push_back(static_cast<std::uint16_t>(level));
  }
  const std::size_t base = plan.rows.size();
  plan.rows.resize(base + units.size() * kUnitRows, 0);
  plan.masks.resize(plan.rows.size(), 0);
  for (std::size_t i = 0; i < given.levels.size(); ++i) {
    std::uint32_t level = given.levels[i];
    for (bool last = false; !last; level -= kMost) {
      last = level <= kMost;
      const std::size_t at = base + starts[last ? level : kMost]++;
      plan.rows[at] = given.rows[i];
      if (!given.masks.empty()) plan.masks[at] = given.masks[i];
    }
  }
  return units;
}

}  // namespace

RowPlan make_row_plan(const PlanRows& plain, const PlanRows& masked, FixedWeight step,
                      std::uint32_t max_sum) {
  RowPlan plan;
  plan.step = step;
  plan.rows.reserve(plain.levels.size() + masked.levels.size() + std::size_t{8} * kUnitRows);
  plan.masks.reserve(plan.rows.capacity());
  const std::vector<std::uint16_t> plain_levels = append_sorted(plain, plan);
  const auto first_masked = static_cast<std::uint32_t>(plan.rows.size());
  const std::vector<std::uint16_t> masked_levels = append_sorted(masked, plan);

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
    if (sum > max_sum || (plan.units.size() + 1) * kUnitRows > RowPlan::kMaxRows) break;
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
