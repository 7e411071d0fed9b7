// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/query_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace looptree::detail {
namespace {

/// Steps in the mean weight of a word with a row. Finer costs time in every block, coarser lets
/// more frames through that must then be scored one by one.
constexpr std::uint64_t kStepsToMean = 32;
/// A heavy row that could take off less than this fraction of a word's weight is not worth reading.
constexpr double kWorthARow = 0.12;
/// A plan is made for frames of a slightly larger scale than asked for, so that it serves others,
/// too.
constexpr double kReuse = 1.03;
/// Frames with so much larger weights than the query's could as well have any.
constexpr double kMostAbove = 4;

}  // namespace

QueryBounds::QueryBounds(const Terms& query, const WordUnits& units, const RowLayout& layout)
    : layout_(layout) {
  double least = std::numeric_limits<double>::infinity();
  std::uint64_t total = 0;
  std::uint64_t row_total = 0;
  rows_.reserve(query.size());
  for (std::size_t i = 0; i < query.size(); ++i) {
    const std::uint32_t word = query.words[i];
    const FixedWeight weight = query.weights[i];
    least = std::min(least, weight * units.inverse(word));
    total += weight;
    if (const std::uint32_t line = layout.line(word); line != RowLayout::kNoRow) {
      rows_.push_back({line, weight, units[word]});
      row_total += weight;
    }
  }
  scale_ = least;
  // Sums have 16 bits. Each word is rounded up by less than a step or two, in two rows at most;
  // what still does not fit becomes the plan's remainder.
  const std::uint64_t lost = std::min<std::uint64_t>(RowPlan::kMaxSum / 2, 4 * query.size());
  step_ = static_cast<FixedWeight>(total / (RowPlan::kMaxSum - lost) + 1);
  if (has_rows()) {
    step_ = std::max(step_, static_cast<FixedWeight>(row_total / rows_.size() / kStepsToMean + 1));
  }
  if (rows_.size() == query.size()) return;
  for (std::size_t i = 0; i < query.size(); ++i) {
    if (layout.line(query.words[i]) != RowLayout::kNoRow) continue;
    const auto level = static_cast<std::uint16_t>((query.weights[i] + step_ - 1) / step_);
    listed_.push_back({query.words[i], level});
    listed_levels_ += level;
  }
}

const RowPlan& QueryBounds::plan(double block_scale) {
  // Far above the query every frame's weights exceed the query's: one plan will do.
  const bool above_all = block_scale > scale_ * kMostAbove;
  const double needed = above_all ? std::numeric_limits<double>::infinity() : block_scale;
  for (const ScaledPlan& each : plans_) {
    if (each.scale >= needed && (above_all || each.scale <= needed * kReuse * kReuse))
      return each.plan;
  }
  const double scale = needed * kReuse;
  plans_.push_back({scale, make_plan(scale)});
  return plans_.back().plan;
}

RowPlan QueryBounds::make_plan(double scale) const {
  RowPlanner planner(step_, rows_.size());
  for (const RowWord& word : rows_) {
    const double limit = light_limit(word.unit, scale);
    if (limit < word.weight * (1 - kWorthARow)) {
      const auto light = static_cast<FixedWeight>(limit);
      planner.add(word.line, light);
      planner.add(word.line, layout_.heavy_line(word.line), word.weight - light);
    } else {
      planner.add(word.line, word.weight);
    }
  }
  return planner.make(RowPlan::kMaxSum - listed_levels_);
}

}  // namespace looptree::detail
