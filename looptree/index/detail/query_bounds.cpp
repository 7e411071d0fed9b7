// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/query_bounds.hpp"

#include <algorithm>
#include <array>
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
/// Words between a prefetch of a line's number and its use.
constexpr std::size_t kAhead = 32;

}  // namespace

QueryBounds::QueryBounds(const Terms& query, const RowLayout& layout) : layout_(layout) {
  const ScratchVector<std::uint32_t> without = find_rows(query);
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
    const std::uint64_t mean = row_total / words_.weights.size();
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
  words_.to_heavy = layout.heavy_line(0) * kLine;
  words_.sums.max_sum = RowPlan::kMaxSum - listed_levels_;
}

ScratchVector<std::uint32_t> QueryBounds::find_rows(const Terms& query) {
  constexpr std::size_t kAtOnce = 16;
  const std::size_t size = query.size();
  words_.words.resize(size);
  words_.rows.resize(size);
  words_.weights.resize(size);
  ScratchVector<std::uint32_t> without(size);
  const std::uint32_t* words = query.words.data();
  const FixedWeight* weights = query.weights.data();
  std::uint32_t* row_words = words_.words.data();
  std::uint32_t* rows = words_.rows.data();
  FixedWeight* row_weights = words_.weights.data();
  std::uint32_t* missing = without.data();
  std::size_t found = 0;
  const auto enter = [&](std::size_t i, std::uint32_t line) {
    row_words[found] = words[i];
    rows[found] = line * kLine;
    row_weights[found] = weights[i];
    missing[i - found] = static_cast<std::uint32_t>(i);
    found += line != RowLayout::kNoRow ? 1 : 0;  // no branch: nobody could guess it
  };
  std::size_t i = 0;
  for (; i + kAhead + kAtOnce <= size; i += kAtOnce) {
    std::array<std::uint32_t, kAtOnce> lines;
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < kAtOnce; ++j) {
      layout_.prefetch(words[i + kAhead + j]);
      lines[j] = layout_.line(words[i + j]);
      bits |= lines[j];
    }
    static_assert(RowLayout::kNoRow == ~std::uint32_t{0}, "no line has its highest bit");
    if (bits >> 31 == 0) {  // all have rows: in small vocabularies that is nearly always so
      for (std::size_t j = 0; j < kAtOnce; ++j) rows[found + j] = lines[j] * kLine;
      std::copy_n(words + i, kAtOnce, row_words + found);
      std::copy_n(weights + i, kAtOnce, row_weights + found);
      found += kAtOnce;
    } else {
      for (std::size_t j = 0; j < kAtOnce; ++j) enter(i + j, lines[j]);
    }
  }
  for (; i < size; ++i) enter(i, layout_.line(words[i]));
  words_.words.resize(found);
  words_.rows.resize(found);
  words_.weights.resize(found);
  without.resize(size - found);
  return without;
}

void QueryBounds::find_units() {
  if (!words_.units.empty()) return;
  words_.units.resize(words_.words.size());
  std::transform(words_.words.begin(), words_.words.end(), words_.units.begin(),
                 [this](std::uint32_t word) { return layout_.unit(word); });
}

double QueryBounds::mean_bound(std::span<const std::uint32_t> row_counts,
                               std::uint32_t frames) const {
  constexpr std::size_t kSample = 64;
  const std::size_t words = words_.weights.size();
  const std::size_t stride = words / kSample + 1;
  double sum = 0;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < words; i += stride, ++seen) {
    sum += static_cast<double>(words_.weights[i]) * row_counts[words_.rows[i] / kLine - 1];
  }
  if (seen == 0) return 0;
  return sum / frames * static_cast<double>(words) / static_cast<double>(seen);
}

const RowPlan& QueryBounds::whole_plan() {
  if (!whole_plan_) {
    ScratchVector<std::uint32_t> levels(words_.weights.size());
    const std::uint32_t most = whole_levels(words_.weights, step(), levels.data());
    whole_plan_ =
        make_row_plan({words_.rows, std::move(levels), most}, words_.sums, RowPlan::Grain::rough);
  }
  return *whole_plan_;
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

QueryBounds::ScaledPlan QueryBounds::make_plan(double scale, RowPlan::Grain grain) {
  // First all words, then the heavy rows of those that are split.
  const std::size_t words = words_.weights.size();
  ScratchVector<std::uint32_t> rows(2 * words + kHeavyRoom);
  ScratchVector<std::uint32_t> levels(2 * words + kHeavyRoom);
  ScratchVector<std::uint32_t> heavy(words);
  std::copy(words_.rows.begin(), words_.rows.end(), rows.begin());
  find_units();
  const std::uint32_t most =
      split_levels({words_.weights, words_.units, scale, step()}, {levels.data(), heavy.data()});
  const std::size_t count = append_heavy({heavy, words_.to_heavy, rows.data(), levels.data()});
  rows.resize(count);
  levels.resize(count);
  return {scale, count == words,
          make_row_plan({std::move(rows), std::move(levels), most}, words_.sums, grain)};
}

}  // namespace looptree::detail
