// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/search/bound_plans.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "looptree/index/kernels/impacts.hpp"

namespace looptree::detail {
namespace {

/// Quanta in the mean weight of a word with a row. Finer costs time in every block, coarser lets
/// more frames through that must then be rescored.
constexpr std::uint64_t kQuantaToMean = 64;
/// A plan is made for frames of a slightly larger scale than asked for, so that it serves others,
/// too.
constexpr double kReuse = 1.02;
/// Words between the prefetch of a line's number and its use.
constexpr std::size_t kAhead = 32;

}  // namespace

BoundPlans::BoundPlans(const FixedView& query, const RowLayout& layout, const IdfTable& idf,
                       Workspace& workspace)
    : layout_(layout),
      idf_(idf),
      workspace_(workspace),
      words_(workspace),
      rare_words_(ScratchAllocator<RareWord>(workspace)) {
  const ScratchVector<std::uint32_t> without_row = find_rows(query);
  std::uint64_t rare_weight = 0;
  for (const std::uint32_t i : without_row) rare_weight += query.weights[i];
  words_.sums.quantum = choose_quantum(query, rare_weight);
  add_rare(query, without_row);
  words_.to_repeated = layout.repeated_line(0) * kLine;
  words_.sums.max_sum = RowPlan::kMaxSum - rare_impacts_;
}

FixedWeight BoundPlans::choose_quantum(const FixedView& query, std::uint64_t rare_weight) const {
  std::uint64_t total = 0;
  for (const FixedWeight weight : query.weights) total += weight;
  // Each word is rounded up by less than a quantum or two, in two rows at most, and to the heaviest
  // of its batch. What still does not fit becomes a remainder that every frame gets.
  constexpr std::uint64_t kBatches =
      RowPlan::kSmallBatch * RowPlan::kMaxImpact + RowPlan::kLargeBatch * kQuantaToMean;
  const std::uint64_t lost =
      std::min<std::uint64_t>(RowPlan::kMaxSum / 2, 4 * query.size() + kBatches);
  const auto fits = static_cast<FixedWeight>(total / (RowPlan::kMaxSum - lost) + 1);
  if (!has_rows()) return fits;
  const std::uint64_t mean = (total - rare_weight) / words_.weights.size();
  return std::max(fits, static_cast<FixedWeight>(mean / kQuantaToMean + 1));
}

void BoundPlans::add_rare(const FixedView& query, const ScratchVector<std::uint32_t>& without_row) {
  rare_words_.reserve(without_row.size());
  for (const std::uint32_t i : without_row) {
    const auto impact = static_cast<std::uint32_t>((query.weights[i] + quantum() - 1) / quantum());
    if (rare_impacts_ + impact > RowPlan::kMaxSum) {
      remainder_ += query.weights[i];
      continue;
    }
    rare_words_.push_back({query.words[i], static_cast<std::uint16_t>(impact)});
    rare_impacts_ += impact;
  }
}

ScratchVector<std::uint32_t> BoundPlans::find_rows(const FixedView& query) {
  constexpr std::size_t kAtOnce = 16;
  const std::size_t size = query.size();
  words_.words.resize(size);
  words_.rows.resize(size);
  words_.weights.resize(size);
  auto without_row = scratch<std::uint32_t>(workspace_, size);
  std::size_t found = 0;
  const auto enter = [&](std::size_t i, std::uint32_t line) {
    words_.words[found] = query.words[i];
    words_.rows[found] = line * kLine;
    words_.weights[found] = query.weights[i];
    without_row[i - found] = static_cast<std::uint32_t>(i);
    found += line != RowLayout::kNoRow ? 1 : 0;  // no branch: it could not be predicted
  };
  std::size_t i = 0;
  for (; i + kAhead + kAtOnce <= size; i += kAtOnce) {
    std::array<std::uint32_t, kAtOnce> lines;
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < kAtOnce; ++j) {
      layout_.prefetch(query.words[i + kAhead + j]);
      lines[j] = layout_.line(query.words[i + j]);
      bits |= lines[j];
    }
    static_assert(RowLayout::kNoRow == ~std::uint32_t{0}, "no line has its highest bit");
    if (bits >> 31 == 0) {  // all have rows: in small vocabularies that is nearly always so
      for (std::size_t j = 0; j < kAtOnce; ++j) words_.rows[found + j] = lines[j] * kLine;
      std::copy_n(query.words.data() + i, kAtOnce, words_.words.data() + found);
      std::copy_n(query.weights.data() + i, kAtOnce, words_.weights.data() + found);
      found += kAtOnce;
    } else {
      for (std::size_t j = 0; j < kAtOnce; ++j) enter(i + j, lines[j]);
    }
  }
  for (; i < size; ++i) enter(i, layout_.line(query.words[i]));
  words_.words.resize(found);
  words_.rows.resize(found);
  words_.weights.resize(found);
  without_row.resize(size - found);
  return without_row;
}

void BoundPlans::find_idf() {
  if (!words_.idf.empty()) return;
  words_.idf.resize(words_.words.size());
  std::transform(words_.words.begin(), words_.words.end(), words_.idf.begin(),
                 [this](std::uint32_t word) { return idf_.above(word); });
}

double BoundPlans::mean_bound(std::span<const std::uint32_t> row_counts,
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

const RowPlan& BoundPlans::presence_plan() {
  if (!presence_plan_) {
    auto impacts = scratch<std::uint32_t>(workspace_, words_.weights.size());
    const std::uint32_t most = whole_impacts(words_.weights, quantum(), impacts.data());
    presence_plan_ =
        make_row_plan({words_.rows, std::move(impacts), most}, words_.sums, RowPlan::Grain::rough);
  }
  return *presence_plan_;
}

AssumingPlans& BoundPlans::assuming_plans(const AssumingPlans::Request& request) {
  if (!assuming_plans_) {
    find_idf();
    assuming_plans_.emplace(words_, request, workspace_);
  }
  assuming_plans_->raise_scale(request.scale);
  return *assuming_plans_;
}

const RowPlan& BoundPlans::plan(double block_scale, RowPlan::Grain grain) {
  for (const ScaledPlan& each : plans_) {
    if (each.plan.grain != grain) continue;
    const bool near = each.scale >= block_scale && each.scale <= block_scale * kReuse * kReuse;
    if (near || (each.full && each.scale <= block_scale)) return each.plan;
  }
  plans_.push_back(make_plan(block_scale * kReuse, grain));
  return plans_.back().plan;
}

BoundPlans::ScaledPlan BoundPlans::make_plan(double scale, RowPlan::Grain grain) {
  // First the presence rows of all words, then the repeated rows of those that are split.
  const std::size_t words = words_.weights.size();
  auto rows = scratch<std::uint32_t>(workspace_, 2 * words + 1);
  auto impacts = scratch<std::uint32_t>(workspace_, 2 * words + 1);
  auto repeated = scratch<std::uint32_t>(workspace_, words);
  std::copy(words_.rows.begin(), words_.rows.end(), rows.begin());
  find_idf();
  const std::uint32_t most = split_impacts({words_.weights, words_.idf, scale, quantum()},
                                           {impacts.data(), repeated.data()});
  std::size_t count = words;
  for (std::size_t i = 0; i < words; ++i) {
    rows[count] = words_.rows[i] + words_.to_repeated;
    impacts[count] = repeated[i];
    count += repeated[i] != 0 ? 1 : 0;  // no branch: it could not be predicted
  }
  rows.resize(count);
  impacts.resize(count);
  return {scale, count == words,
          make_row_plan({std::move(rows), std::move(impacts), most}, words_.sums, grain)};
}

}  // namespace looptree::detail
