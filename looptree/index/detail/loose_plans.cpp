// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/loose_plans.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "looptree/index/detail/split_levels.hpp"

namespace looptree::detail {
namespace {

/// What may be spent of the distance between the mean score and the threshold, with rising care.
constexpr std::array<double, 2> kSpend = {0.12, 0.06};
/// Of so many blocks one may be counted once more, and some in a run, before more care is taken.
constexpr std::size_t kRarely = 8;
constexpr std::size_t kRun = 3;
/// Words that are looked at to find out how much may be lost at most for a row.
constexpr std::size_t kSample = 128;

}  // namespace

const RowPlan* LoosePlans::plan() {
  if (care_ == kSpend.size()) return nullptr;
  if (!plan_) {
    const Levels all = levels();
    const double spare = static_cast<double>(request_.threshold) / words_.sums.step - all.mean;
    if (spare <= 0) {
      care_ = kSpend.size();
      return nullptr;
    }
    plan_ = make_plan(all, most_loss(all, spare * kSpend[care_]));
  }
  return &*plan_;
}

void LoosePlans::raise_scale(double scale) {
  if (scale <= request_.scale) return;
  request_.scale = scale;
  plan_.reset();
}

void LoosePlans::counted(bool again) {
  ++blocks_;
  again_ += again ? 1 : 0;
  if (again_ * kRarely <= blocks_ + kRun * kRarely) return;
  ++care_;
  plan_.reset();
  blocks_ = again_ = 0;
}

LoosePlans::Levels LoosePlans::levels() const {
  const std::size_t words = words_.weights.size();
  Levels result{ScratchVector<std::uint32_t>(words), ScratchVector<std::uint32_t>(words),
                ScratchVector<float>(words), ScratchVector<float>(words)};
  result.most = split_levels({words_.weights, words_.units, request_.scale, words_.sums.step},
                             {result.light.data(), result.heavy.data()});
  const float part = 1 / static_cast<float>(request_.frames);
  for (std::size_t i = 0; i < words; ++i) {
    const float density = static_cast<float>(request_.counts[words_.rows[i] / kLine - 1]) * part;
    const float mean = density * static_cast<float>(result.light[i]);
    result.mean += mean;
    result.without_row[i] = static_cast<float>(result.light[i] + result.heavy[i]) - mean;
    result.without_heavy[i] = density * static_cast<float>(result.heavy[i]);
  }
  return result;
}

/// The most that may be lost per line saved so that no more than `spare` is lost in all.
float LoosePlans::most_loss(const Levels& levels, double spare) const {
  const std::size_t words = words_.weights.size();
  const std::size_t stride = words / kSample + 1;
  const double sample_spare = spare / static_cast<double>(stride);
  float low = 0;
  float high = RowPlan::kMaxLevel;
  for (int round = 0; round < 10; ++round) {
    const float middle = (low + high) / (low == 0 ? 4 : 2);
    float lost = 0;
    for (std::size_t i = 0; i < words; i += stride) {
      const float row = levels.without_row[i];
      const float heavy = levels.without_heavy[i];
      lost += row <= middle ? row : heavy <= middle ? heavy : 0;
    }
    (lost <= sample_spare ? low : high) = middle;
  }
  return low;
}

RowPlan LoosePlans::make_plan(const Levels& levels, float most_loss) const {
  const std::size_t words = words_.weights.size();
  ScratchVector<std::uint32_t> rows(2 * words + 2);
  ScratchVector<std::uint32_t> row_levels(2 * words + 2);
  std::size_t count = 0;
  std::uint64_t granted = 0;
  for (std::size_t i = 0; i < words; ++i) {  // without branches: nobody could guess them
    const bool everywhere = levels.without_row[i] <= most_loss;
    const bool light_only = levels.without_heavy[i] <= most_loss;
    const std::uint32_t both = levels.light[i] + levels.heavy[i];
    granted += everywhere ? both : 0;
    rows[count] = words_.rows[i];
    row_levels[count] = light_only ? both : levels.light[i];
    count += everywhere ? 0 : 1;
    rows[count] = words_.rows[i] + words_.to_heavy;
    row_levels[count] = levels.heavy[i];
    count += everywhere || light_only ? 0 : 1;
  }
  rows.resize(count);
  row_levels.resize(count);
  RowPlan plan = make_row_plan({std::move(rows), std::move(row_levels), levels.most}, words_.sums,
                               RowPlan::Grain::coarse);
  plan.remainder += granted * words_.sums.step;
  return plan;
}

}  // namespace looptree::detail
