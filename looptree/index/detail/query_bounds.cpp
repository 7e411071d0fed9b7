// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/query_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace looptree::detail {
namespace {

/// Steps in the mean weight of a word with a row. Finer costs time in every block, coarser lets
/// more frames through that must then be scored one by one.
constexpr std::uint64_t kStepsToMean = 20;
/// A heavy row that could take off less than this fraction of a word's weight is not worth reading.
constexpr double kWorthARow = 0.12;

}  // namespace

QueryBounds::QueryBounds(const Terms& query, const WordUnits& units, const RowLayout& layout)
    : query_(query), units_(units), layout_(layout) {
  double least = std::numeric_limits<double>::infinity();
  std::uint64_t total = 0;
  std::uint64_t row_total = 0;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    least = std::min(least, query.weights[i] * units.inverse(query.words[i]));
    total += query.weights[i];
    if (layout.line(query.words[i]) == RowLayout::kNoRow) continue;
    row_total += query.weights[i];
    ++rows;
  }
  scale_ = least;
  // Sums have 16 bits. Each word is rounded up by less than a step, in two rows at most, and each
  // unit of rows to its heaviest, which costs little as they are sorted; what still does not fit
  // becomes the plan's remainder.
  const std::uint64_t room =
      RowPlan::kMaxSum - std::min<std::uint64_t>(RowPlan::kMaxSum / 2, 3 * query.size());
  step_ = static_cast<FixedWeight>(total / room + 1);
  if (rows > 0) {
    step_ = std::max(step_, static_cast<FixedWeight>(row_total / rows / kStepsToMean + 1));
  }
  for (std::size_t i = 0; i < query.size(); ++i) {
    if (layout.line(query.words[i]) != RowLayout::kNoRow) continue;
    const auto level = static_cast<std::uint16_t>((query.weights[i] + step_ - 1) / step_);
    listed_.push_back({query.words[i], level});
    listed_levels_ += level;
  }
}

const RowPlan& QueryBounds::plan(double block_scale) {
  std::size_t c = 0;
  while (block_scale > kClasses[c] * scale_) ++c;
  if (!plans_[c]) plans_[c] = make_plan(kClasses[c] * scale_);
  return *plans_[c];
}

RowPlan QueryBounds::make_plan(double scale) const {
  RowPlanner planner(step_, RowPlan::kMaxSum - listed_levels_);
  for (std::size_t i = 0; i < query_.size(); ++i) {
    const std::uint32_t line = layout_.line(query_.words[i]);
    if (line == RowLayout::kNoRow) continue;
    const FixedWeight weight = query_.weights[i];
    const double limit = light_limit(units_[query_.words[i]], scale);
    if (limit < weight * (1 - kWorthARow)) {
      const auto light = static_cast<FixedWeight>(limit);
      planner.add(line, 0, light);
      planner.add(line, layout_.heavy_line(line), weight - light);
    } else {
      planner.add(line, 0, weight);
    }
  }
  return planner.make();
}

}  // namespace looptree::detail
