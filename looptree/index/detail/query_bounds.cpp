// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/query_bounds.hpp"

#include <algorithm>
#include <span>

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
  std::uint64_t total = 0;
  std::uint64_t row_total = 0;
  words_.rows.resize(query.size());
  words_.weights.resize(query.size());
  words_.units.resize(query.size());
  ScratchVector<std::uint32_t> without(query.size());
  std::size_t rows = 0;
  std::size_t others = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {  // without branches: nobody could guess them
    if (i + kAhead < query.size()) layout.prefetch(query.words[i + kAhead]);
    const RowLayout::Place place = layout.place(query.words[i]);
    const FixedWeight weight = query.weights[i];
    const bool has_row = place.line != RowLayout::kNoRow;
    words_.rows[rows] = place.line * kLine;
    words_.weights[rows] = weight;
    words_.units[rows] = place.unit;
    without[others] = static_cast<std::uint32_t>(i);
    total += weight;
    row_total += has_row ? weight : 0;
    rows += has_row ? 1 : 0;
    others += has_row ? 0 : 1;
  }
  without.resize(others);
  words_.rows.resize(rows);
  words_.weights.resize(rows);
  words_.units.resize(rows);
  // Sums have 16 bits. Each word is rounded up by less than a step or two, in two rows at most, and
  // to the heaviest of its unit. What still does not fit would be a remainder that every frame
  // gets.
  constexpr std::uint64_t kUnits =
      RowPlan::kSmallUnit * RowPlan::kMaxLevel + RowPlan::kLargeUnit * kStepsToMean;
  const std::uint64_t lost =
      std::min<std::uint64_t>(RowPlan::kMaxSum / 2, 4 * query.size() + kUnits);
  words_.step = static_cast<FixedWeight>(total / (RowPlan::kMaxSum - lost) + 1);
  if (has_rows()) {
    words_.step =
        std::max(words_.step, static_cast<FixedWeight>(row_total / rows / kStepsToMean + 1));
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
  words_.to_heavy = layout.heavy_line(0) * kLine;
  words_.max_sum = RowPlan::kMaxSum - listed_levels_;
}

const RowPlan& QueryBounds::plan(double block_scale) {
  for (const ScaledPlan& each : plans_) {
    const bool near = each.scale >= block_scale && each.scale <= block_scale * kReuse * kReuse;
    if (near || (each.full && each.scale <= block_scale)) return each.plan;
  }
  plans_.push_back(make_plan(block_scale * kReuse));
  return plans_.back().plan;
}

QueryBounds::ScaledPlan QueryBounds::make_plan(double scale) const {
  // First all words, then the heavy rows of those that are split.
  const std::size_t words = words_.rows.size();
  ScratchVector<std::uint32_t> rows(2 * words + 1);
  ScratchVector<std::uint32_t> levels(2 * words + 1);
  std::copy(words_.rows.begin(), words_.rows.end(), rows.begin());
  ScratchVector<std::uint32_t> heavy(words);
  split_levels({words_.weights, words_.units, scale, 1.0 / step()}, levels.data(), heavy.data());
  std::size_t count = words;
  for (std::size_t i = 0; i < words; ++i) {  // without branches: nobody could guess which they are
    rows[count] = words_.rows[i] + words_.to_heavy;
    levels[count] = heavy[i];
    count += heavy[i] != 0 ? 1 : 0;
  }
  const PlanRows given{std::span(rows).first(count), std::span(levels).first(count)};
  return {scale, count == words, make_row_plan(given, step(), words_.max_sum)};
}

}  // namespace looptree::detail
