// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/search/assuming_plans.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "looptree/index/core/bits.hpp"
#include "looptree/index/kernels/impacts.hpp"

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

const RowPlan* AssumingPlans::plan() {
  if (care_ == kSpend.size()) return nullptr;
  if (!plan_) {
    const Impacts all = impacts();
    const double spare = static_cast<double>(request_.threshold) / words_.sums.quantum - all.mean;
    if (spare <= 0) {
      care_ = kSpend.size();
      return nullptr;
    }
    plan_ = make_plan(all, most_loss(all, spare * kSpend[care_]));
  }
  return &*plan_;
}

void AssumingPlans::raise_scale(double scale) {
  if (scale <= request_.scale) return;
  request_.scale = scale;
  plan_.reset();
}

void AssumingPlans::counted(bool again) {
  ++blocks_;
  again_ += again ? 1 : 0;
  if (again_ * kRarely <= blocks_ + kRun * kRarely) return;
  ++care_;
  plan_.reset();
  blocks_ = again_ = 0;
}

AssumingPlans::Impacts AssumingPlans::impacts() const {
  const std::size_t words = words_.weights.size();
  Impacts result{scratch<std::uint32_t>(workspace_, words),
                 scratch<std::uint32_t>(workspace_, words), scratch<float>(workspace_, words),
                 scratch<float>(workspace_, words)};
  result.most = split_impacts({words_.weights, words_.idf, request_.scale, words_.sums.quantum},
                              {result.once.data(), result.repeated.data()});
  const float part = 1 / static_cast<float>(request_.frames);
  for (std::size_t i = 0; i < words; ++i) {
    const float density = static_cast<float>(request_.counts[words_.rows[i] / kLine - 1]) * part;
    const float mean = density * static_cast<float>(result.once[i]);
    result.mean += mean;
    result.without_row[i] = static_cast<float>(result.once[i] + result.repeated[i]) - mean;
    result.without_repeated[i] = density * static_cast<float>(result.repeated[i]);
  }
  return result;
}

/// The most that may be lost per row saved so that no more than `spare` is lost in all.
float AssumingPlans::most_loss(const Impacts& impacts, double spare) const {
  const std::size_t words = words_.weights.size();
  const std::size_t stride = words / kSample + 1;
  const double sample_spare = spare / static_cast<double>(stride);
  float low = 0;
  float high = RowPlan::kMaxImpact;
  for (int round = 0; round < 10; ++round) {
    const float middle = (low + high) / (low == 0 ? 4 : 2);
    float lost = 0;
    for (std::size_t i = 0; i < words; i += stride) {
      const float row = impacts.without_row[i];
      const float repeated = impacts.without_repeated[i];
      lost += row <= middle ? row : repeated <= middle ? repeated : 0;
    }
    (lost <= sample_spare ? low : high) = middle;
  }
  return low;
}

RowPlan AssumingPlans::make_plan(const Impacts& impacts, float most_loss) const {
  const std::size_t words = words_.weights.size();
  auto rows = scratch<std::uint32_t>(workspace_, 2 * words + 2);
  auto row_impacts = scratch<std::uint32_t>(workspace_, 2 * words + 2);
  std::size_t count = 0;
  std::uint64_t assumed = 0;
  for (std::size_t i = 0; i < words; ++i) {  // no branches: they could not be predicted
    const bool everywhere = impacts.without_row[i] <= most_loss;
    const bool presence_only = impacts.without_repeated[i] <= most_loss;
    const std::uint32_t both = impacts.once[i] + impacts.repeated[i];
    assumed += everywhere ? both : 0;
    rows[count] = words_.rows[i];
    row_impacts[count] = presence_only ? both : impacts.once[i];
    count += everywhere ? 0 : 1;
    rows[count] = words_.rows[i] + words_.to_repeated;
    row_impacts[count] = impacts.repeated[i];
    count += everywhere || presence_only ? 0 : 1;
  }
  rows.resize(count);
  row_impacts.resize(count);
  RowPlan plan = make_row_plan({std::move(rows), std::move(row_impacts), impacts.most}, words_.sums,
                               RowPlan::Grain::coarse);
  plan.remainder += assumed * words_.sums.quantum;
  return plan;
}

}  // namespace looptree::detail
