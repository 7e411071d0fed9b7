// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/search/row_plans.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace looptree::detail {
namespace {

constexpr std::uint32_t kMost = RowPlan::kMaxImpact;
/// Rows are dealt to so many counters per impact: neighbours mostly have the same impact, and a
/// counter that waits for its own last increment is most of the time of a sort.
constexpr std::size_t kLanes = 4;
using Counters = std::array<std::array<std::uint32_t, kLanes>, kMost + 1>;

/// Visits every row's index with the counter it belongs to.
template <typename Visit>
void for_each_row(const ScratchVector<std::uint32_t>& impacts, Counters& counters, Visit visit) {
  const std::size_t size = impacts.size();
  const std::uint32_t* impact = impacts.data();
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      visit(i + lane, counters[impact[i + lane]][lane]);
    }
  }
  for (; i < size; ++i) visit(i, counters[impact[i]][i % kLanes]);
}

/// Puts the rows into the plan by falling impact, padded to whole batches, and sets the impact of
/// every batch to that of its first row. By counting: a comparison sort would take longer than
/// searching thousands of frames.
void sort_rows(const PlanRows& given, std::uint32_t most, RowPlan& plan) {
  Counters starts{};
  for_each_row(given.impacts, starts, [](std::size_t, std::uint32_t& count) { ++count; });
  plan.impacts.clear();
  plan.impacts.reserve(RowPlan::batches_of(given.impacts.size(), plan.grain) + 1);
  std::uint32_t placed = 0;
  for (std::uint32_t impact = most; impact > 0; --impact) {
    for (std::uint32_t& lane : starts[impact]) placed += std::exchange(lane, placed);
    while (plan.first_row(plan.impacts.size()) < placed) {
      plan.impacts.push_back(static_cast<std::uint16_t>(impact));
    }
  }
  const std::size_t rows = plan.first_row(plan.impacts.size());
  plan.rows.reserve(rows + RowPlan::kRepeatedRows);
  plan.rows.resize(rows);
  std::fill(plan.rows.begin() + placed, plan.rows.end(), 0);
  for_each_row(given.impacts, starts,
               [from = given.rows.data(), to = plan.rows.data()](
                   std::size_t i, std::uint32_t& place) { to[place++] = from[i]; });
}

/// Enters every row of too much impact for one entry several times. Nearly every query has a few of
/// these.
void spread(PlanRows& given) {
  const std::size_t size = given.impacts.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (given.impacts[i] <= kMost) continue;
    std::uint32_t left = given.impacts[i] - kMost;
    given.impacts[i] = kMost;
    for (; left > 0; left -= std::min(left, kMost)) {
      given.rows.push_back(given.rows[i]);
      given.impacts.push_back(std::min(left, kMost));
    }
  }
}

/// The least number from `least` on that has at most two bits set.
std::uint32_t two_bits(std::uint32_t least) {
  const std::uint32_t high = std::bit_floor(least);
  return least == high ? high : high + std::bit_ceil(least - high);
}

/// Raises every other impact to the one before it.
void pair_impacts(ScratchVector<std::uint16_t>& impacts) {
  for (std::size_t b = 1; b < impacts.size(); b += 2) impacts[b] = impacts[b - 1];
}

/// Raises impacts a little so that they fall by numbers with few bits set: every bit costs an
/// addition of whole counts.
void smooth(ScratchVector<std::uint16_t>& impacts) {
  std::uint32_t next = 0;
  for (std::size_t b = impacts.size(); b-- > 0;) {
    if (impacts[b] > next) next += two_bits(impacts[b] - next);
    impacts[b] = static_cast<std::uint16_t>(next);
  }
}

}  // namespace

RowPlan make_row_plan(PlanRows given, const PlanSums& sums, RowPlan::Grain grain) {
  RowPlan plan(given.rows.get_allocator().workspace(), grain);
  if (given.most > kMost) spread(given);
  sort_rows(given, std::min(given.most, kMost), plan);
  if (grain == RowPlan::Grain::rough) pair_impacts(plan.impacts);
  if (grain != RowPlan::Grain::fine) smooth(plan.impacts);
  const auto most = [&](std::size_t batch) {
    return (plan.first_row(batch + 1) - plan.first_row(batch)) * plan.impacts[batch];
  };
  // As many batches as counts and sums have room for.
  std::size_t batches = 0;
  std::uint64_t sum = 0;
  for (; batches < plan.impacts.size(); ++batches) {
    sum += most(batches);
    if (sum > sums.max_sum || plan.first_row(batches + 1) > RowPlan::kMaxRows) break;
  }
  for (std::size_t b = batches; b < plan.impacts.size(); ++b) {
    plan.remainder += most(b) * sums.quantum;
  }
  plan.impacts.resize(batches);
  plan.impacts.push_back(0);
  plan.repeat_rows();
  return plan;
}

}  // namespace looptree::detail
