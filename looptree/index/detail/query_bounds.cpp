// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/query_bounds.hpp"

#include <algorithm>
#include <utility>

#include "looptree/index/detail/split_levels.hpp"

namespace looptree::detail {
namespace {

/// Steps in the mean weight of a word with a row. Finer costs time in every block, coarser lets
/// more frames through that must then be scored one by one.
constexpr std::uint64_t kStepsToMean = 64;
/// A plan is made for frames of a slightly larger scale than asked for, so that it serves others,
/// too.
constexpr double kReuse = 1.02;
/// Words between a prefetch of a place and its use.
constexpr std::size_t kAhead = 32;

}  // namespace

QueryBounds::QueryBounds(const Terms& query, const RowLayout& layout) {
  const ScratchVector<std::uint32_t> without = find_rows(query, layout);
  std::uint64_t total = 0;
  for (const FixedWeight weight : query.weights) total += weight;
  std::uint64_t row_total = total;
  for (const std::uint32_t i : without) row_total -= query.weights[i];
  // Sums have 16 bits. Each word is rounded up by less than a step or two, in two rows at most, and
  // to the heaviest of its unit. What still does not fit would be a remainder that every frame
  // gets.
  constexpr std::uint64_t kUnits =
      RowPlan::kSmallUnit * RowPlan::kMaxLevel + RowPlan::kLargeUnit * kStepsToMean;
  const std::uint64_t lost =
      std::min<std::uint64_t>(RowPlan::kMaxSum / 2, 4 * query.size() + kUnits);
  words_.sums.step = static_cast<FixedWeight>(total / (RowPlan::kMaxSum - lost) + 1);
  if (has_rows()) {
    const std::uint64_t mean = row_total / words_.places.size();
    words_.sums.step =
        std::max(words_.sums.step, static_cast<FixedWeight>(mean / kStepsToMean + 1));
  }
  listed_.reserve(without.size());
  for (const std::uint32_t i : without) {
    const auto level = static_cast<std::uint32_t>((query.weights[i] + step() - 1) / step());
    if (listed_levels_ + level > RowPlan::kMaxSum) {
      remainder_ += query.weights[i];
      continue;
    }
    listed_.push_back({query.words[i], static_cast<std::uint16_t>(level)});
    listed_levels_ += level;
  }
  words_.to_heavy = layout.heavy_line(0);
  words_.sums.max_sum = RowPlan::kMaxSum - listed_levels_;
}

ScratchVector<std::uint32_t> QueryBounds::find_rows(const Terms& query, const RowLayout& layout) {
  const std::size_t size = query.size();
  words_.places.resize(size);
  words_.weights.resize(size);
  ScratchVector<std::uint32_t> without(size);
  std::size_t rows = 0;
  const auto enter = [&rows, &layout, words = query.words.data(), weights = query.weights.data(),
                      places = words_.places.data(), entered = words_.weights.data(),
                      missing = without.data()](std::size_t i) {
    const RowLayout::Place place = layout.place(words[i]);
    places[rows] = place;
    entered[rows] = weights[i];
    missing[i - rows] = static_cast<std::uint32_t>(i);
    rows += place.line != RowLayout::kNoRow ? 1 : 0;  // no branch: nobody could guess it
  };
  std::size_t i = 0;
  for (; i + kAhead < size; ++i) {
    layout.prefetch(query.words[i + kAhead]);
    enter(i);
  }
  for (; i < size; ++i) enter(i);
  words_.places.resize(rows);
  words_.weights.resize(rows);
  without.resize(size - rows);
  return without;
}

double QueryBounds::mean_bound(std::span<const std::uint32_t> row_counts,
                               std::uint32_t frames) const {
  constexpr std::size_t kSample = 64;
  const std::size_t words = words_.weights.size();
  const std::size_t stride = words / kSample + 1;
  double sum = 0;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < words; i += stride, ++seen) {
    sum += static_cast<double>(words_.weights[i]) * row_counts[words_.places[i].line - 1];
  }
  if (seen == 0) return 0;
  return sum / frames * static_cast<double>(words) / static_cast<double>(seen);
}

const RowPlan& QueryBounds::plan(double block_scale, RowPlan::Grain grain) {
  for (const ScaledPlan& each : plans_) {
    if (each.plan.grain != grain) continue;
    const bool near = each.scale >= block_scale && each.scale <= block_scale * kReuse * kReuse;
    if (near || (each.full && each.scale <= block_scale)) return each.plan;
  }
  plans_.push_back(make_plan(block_scale * kReuse, grain));
  return plans_.back().plan;
}

QueryBounds::ScaledPlan QueryBounds::make_plan(double scale, RowPlan::Grain grain) const {
  // First all words, then the heavy rows of those that are split.
  const std::size_t words = words_.weights.size();
  const std::uint32_t to_heavy = words_.to_heavy * kLine;
  PlanRows given{ScratchVector<std::uint32_t>(2 * words + kHeavyRoom),
                 ScratchVector<std::uint32_t>(2 * words + kHeavyRoom)};
  ScratchVector<std::uint32_t> heavy(words);
  split_levels({words_.weights, words_.places, scale, step()},
               {given.rows.data(), given.levels.data(), heavy.data()});
  const std::size_t count = append_heavy({heavy, to_heavy, given.rows.data(), given.levels.data()});
  given.rows.resize(count);
  given.levels.resize(count);
  return {scale, count == words, make_row_plan(std::move(given), words_.sums, grain)};
}

}  // namespace looptree::detail
