// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/row_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace looptree::detail {
namespace {

constexpr std::uint32_t kMost = RowPlan::kMaxLevel;
/// Rows of the query are dealt to so many counters per level: neighbours mostly have the same
/// level, and a counter that waits for its own last increment is most of the time of a sort.
constexpr std::size_t kLanes = 4;
using Counters = std::array<std::array<std::uint32_t, kLanes>, kMost + 1>;

/// Visits every row's index with the counter it belongs to.
template <typename Visit>
void for_each_row(const ScratchVector<std::uint32_t>& levels, Counters& counters, Visit visit) {
  const std::size_t size = levels.size();
  const std::uint32_t* level = levels.data();
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      visit(i + lane, counters[level[i + lane]][lane]);
    }
  }
  for (; i < size; ++i) visit(i, counters[level[i]][i % kLanes]);
}

/// Puts the rows into the plan by falling level, padded to whole units, and sets the level of every
/// unit to that of its first row. By counting: a comparison sort would take longer than searching
/// thousands of frames.
void sort_rows(const PlanRows& given, std::uint32_t most, RowPlan& plan) {
  Counters starts{};
  for_each_row(given.levels, starts, [](std::size_t, std::uint32_t& count) { ++count; });
  plan.levels.clear();
  plan.levels.reserve(RowPlan::units_of(given.levels.size(), plan.grain) + 1);
  std::uint32_t placed = 0;
  for (std::uint32_t level = most; level > 0; --level) {
    for (std::uint32_t& lane : starts[level]) placed += std::exchange(lane, placed);
    while (plan.first_row(plan.levels.size()) < placed) {
      plan.levels.push_back(static_cast<std::uint16_t>(level));
    }
  }
  const std::size_t rows = plan.first_row(plan.levels.size());
  plan.rows.reserve(rows + RowPlan::kRepeated);
  plan.rows.resize(rows);
  std::fill(plan.rows.begin() + placed, plan.rows.end(), 0);
  for_each_row(given.levels, starts,
               [from = given.rows.data(), to = plan.rows.data()](
                   std::size_t i, std::uint32_t& place) { to[place++] = from[i]; });
}

/// Enters a row too heavy for one entry several times.
void spread_row(PlanRows& given, std::size_t i) {
  std::uint32_t left = given.levels[i] - kMost;
  given.levels[i] = kMost;
  for (; left > 0; left -= std::min(left, kMost)) {
    given.rows.push_back(given.rows[i]);
    given.levels.push_back(std::min(left, kMost));
  }
}

/// Likewise all of them, of which there are a few in nearly every query: some at a time are passed
/// over if none is.
void spread(PlanRows& given) {
  constexpr std::size_t kAtOnce = 16;
  const std::size_t size = given.levels.size();
  std::size_t i = 0;
  for (; i + kAtOnce <= size; i += kAtOnce) {
    const std::uint32_t* levels = given.levels.data() + i;
    std::uint32_t above = 0;  // its highest bit, if any is
    for (std::size_t j = 0; j < kAtOnce; ++j) above |= kMost - levels[j];
    if (above >> 31 == 0) continue;
    for (std::size_t j = i; j < i + kAtOnce; ++j) {
      if (given.levels[j] > kMost) spread_row(given, j);
    }
  }
  for (; i < size; ++i) {
    if (given.levels[i] > kMost) spread_row(given, i);
  }
}

/// The least number from `least` on that has at most two bits set.
std::uint32_t two_bits(std::uint32_t least) {
  const std::uint32_t high = std::bit_floor(least);
  return least == high ? high : high + std::bit_ceil(least - high);
}

/// Raises every other level to the one before it.
void pair_levels(ScratchVector<std::uint16_t>& levels) {
  for (std::size_t u = 1; u < levels.size(); u += 2) levels[u] = levels[u - 1];
}

/// Raises levels a little so that gaps between them have few bits set: every bit costs an addition
/// of whole counts.
void smooth(ScratchVector<std::uint16_t>& levels) {
  std::uint32_t next = 0;
  for (std::size_t u = levels.size(); u-- > 0;) {
    if (levels[u] > next) next += two_bits(levels[u] - next);
    levels[u] = static_cast<std::uint16_t>(next);
  }
}

}  // namespace

void RowPlan::repeat_rows() {
  const std::size_t size = first_row(units());
  rows.resize(size + kRepeated);
  for (std::size_t i = 0; i < kRepeated; ++i) rows[size + i] = size > 0 ? rows[i] : 0;
}

RowPlan make_row_plan(PlanRows given, const PlanSums& sums, RowPlan::Grain grain) {
  RowPlan plan;
  plan.grain = grain;
  if (given.most > kMost) spread(given);
  sort_rows(given, std::min(given.most, kMost), plan);
  if (grain == RowPlan::Grain::rough) pair_levels(plan.levels);
  if (grain != RowPlan::Grain::fine) smooth(plan.levels);
  const auto most = [&](std::size_t unit) {
    return (plan.first_row(unit + 1) - plan.first_row(unit)) * plan.levels[unit];
  };
  // As many units as counts and sums have room for.
  std::size_t units = 0;
  std::uint64_t sum = 0;
  for (; units < plan.levels.size(); ++units) {
    sum += most(units);
    if (sum > sums.max_sum || plan.first_row(units + 1) > RowPlan::kMaxRows) break;
  }
  for (std::size_t u = units; u < plan.levels.size(); ++u) plan.remainder += most(u) * sums.step;
  plan.levels.resize(units);
  plan.levels.push_back(0);
  plan.repeat_rows();
  return plan;
}

}  // namespace looptree::detail
