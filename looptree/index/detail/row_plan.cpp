// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/row_plan.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace looptree::detail {
namespace {

/// A row that weighs more is entered several times.
constexpr std::uint32_t kMaxLevel = 255;
/// Counts of rows take 13 bit planes.
constexpr std::size_t kMaxRows = 8176;

}  // namespace

/// Falling, by counting: levels are small numbers, and a comparison sort would take longer than
/// searching a few thousand frames.
void RowPlanner::sort_by_level(std::vector<Entry>& entries) {
  std::array<std::uint32_t, kMaxLevel + 2> starts{};
  const std::size_t given = entries.size();
  for (std::size_t i = 0; i < given; ++i) {
    for (; entries[i].level > kMaxLevel; entries[i].level -= kMaxLevel) {
      entries.push_back({entries[i].row, entries[i].mask, kMaxLevel});
      ++starts[1];
    }
    ++starts[kMaxLevel - entries[i].level + 1];
  }
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<Entry> sorted(entries.size());
  for (const Entry& entry : entries) sorted[starts[kMaxLevel - entry.level]++] = entry;
  entries = std::move(sorted);
}

RowPlan RowPlanner::make() {
  sort_by_level(plain_);
  sort_by_level(masked_);
  RowPlan plan;
  plan.step = step_;
  plan.rows.reserve(plain_.size() + masked_.size() + 2 * kUnitRows);
  plan.masks.reserve(plan.rows.capacity());

  // Take units of either kind by falling level, as long as counts and sums have room for them.
  std::span<const Entry> plain = plain_;
  std::span<const Entry> masked = masked_;
  std::uint64_t sum = 0;
  std::uint32_t previous = 0;
  while (!plain.empty() || !masked.empty()) {
    const bool is_masked =
        plain.empty() || (!masked.empty() && masked.front().level > plain.front().level);
    std::span<const Entry>& from = is_masked ? masked : plain;
    const std::span<const Entry> unit = from.first(std::min(kUnitRows, from.size()));
    const std::uint32_t level = unit.front().level;
    sum += unit.size() * level;
    if (plan.rows.size() + kUnitRows > kMaxRows || sum > max_sum_) break;
    if (!plan.units.empty()) plan.units.back().gap = previous - level;
    previous = level;
    plan.units.push_back({level, is_masked});
    for (const Entry& entry : unit) {
      plan.rows.push_back(entry.row);
      plan.masks.push_back(entry.mask);
    }
    plan.rows.resize(plan.units.size() * kUnitRows, 0);
    plan.masks.resize(plan.rows.size(), 0);
    from = from.subspan(unit.size());
  }
  for (const Entry& entry : plain) plan.remainder += std::uint64_t{entry.level} * step_;
  for (const Entry& entry : masked) plan.remainder += std::uint64_t{entry.level} * step_;
  return plan;
}

}  // namespace looptree::detail
