// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/row_plan.hpp"

#include <array>
#include <utility>

namespace looptree::detail {
namespace {

constexpr std::uint32_t kMost = RowPlan::kMaxLevel;
/// Rows of the query are dealt to so many counters per level: neighbours mostly have the same
/// level, and a counter that waits for its own last increment is most of the time of a sort.
constexpr std::size_t kLanes = 4;
using Starts = std::array<std::array<std::uint32_t, kMost + 1>, kLanes>;

/// How many entries there are of every level. A row too heavy for one entry gets several.
Starts count_levels(std::span<const std::uint32_t> levels) {
  Starts counts{};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    std::array<std::uint32_t, kMost + 1>& lane = counts[i % kLanes];
    std::uint32_t level = levels[i];
    for (; level > kMost; level -= kMost) ++lane[kMost];
    ++lane[level];
  }
  return counts;
}

/// Puts the rows into the plan by falling level, padded to whole units, and returns the level of
/// every unit. By counting: a comparison sort would take longer than searching thousands of frames.
ScratchVector<std::uint16_t> sort_rows(const PlanRows& given, RowPlan& plan) {
  Starts starts = count_levels(given.levels);
  ScratchVector<std::uint16_t> units;
  units.reserve(RowPlan::units_of(given.levels.size()) + 8);
  std::uint32_t placed = 0;
  for (std::uint32_t level = kMost; level > 0; --level) {
    for (auto& lane : starts) placed += std::exchange(lane[level], placed);
    while (RowPlan::first_row(units.size()) < placed) {
      units.push_back(static_cast<std::uint16_t>(level));
    }
  }
  plan.rows.resize(RowPlan::first_row(units.size()), 0);
  for (std::size_t i = 0; i < given.levels.size(); ++i) {
    std::array<std::uint32_t, kMost + 1>& lane = starts[i % kLanes];
    std::uint32_t level = given.levels[i];
    for (; level > kMost; level -= kMost) plan.rows[lane[kMost]++] = given.rows[i];
    plan.rows[lane[level]++] = given.rows[i];
  }
  return units;
}

}  // namespace

RowPlan make_row_plan(const PlanRows& given, FixedWeight step, std::uint32_t max_sum) {
  RowPlan plan;
  plan.levels = sort_rows(given, plan);
  const auto most = [&](std::size_t unit) {
    return (RowPlan::first_row(unit + 1) - RowPlan::first_row(unit)) * plan.levels[unit];
  };
  // As many units as counts and sums have room for.
  std::size_t units = 0;
  std::uint64_t sum = 0;
  for (; units < plan.levels.size(); ++units) {
    sum += most(units);
    if (sum > max_sum || RowPlan::first_row(units + 1) > RowPlan::kMaxRows) break;
  }
  for (std::size_t u = units; u < plan.levels.size(); ++u) plan.remainder += most(u) * step;
  plan.levels.resize(units);
  plan.levels.push_back(0);
  return plan;
}

}  // namespace looptree::detail
