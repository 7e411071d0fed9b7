// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/round_weights.hpp"

#include <algorithm>

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/detail/round_weights.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// What is known of weights once they are rounded.
struct Seen {
  double sum = 0;  ///< of whole numbers, so exact
  double least = kFixedOne;
  double largest = 0;
};

/// Converts to signed numbers, which every machine can; too large ones become the largest of these.
HWY_INLINE Seen RoundSigned(std::span<const double> weights, FixedWeight* rounded) {
  const hn::CappedTag<double, 8> tag;
  const hn::Rebind<std::int32_t, decltype(tag)> signed_tag;
  const auto one = hn::Set(tag, double{kFixedOne});
  const auto half = hn::Set(tag, 0.5);
  auto sum = hn::Zero(tag);
  auto least = one;
  auto largest = hn::Zero(tag);
  std::size_t i = 0;
  for (; i + hn::Lanes(tag) <= weights.size(); i += hn::Lanes(tag)) {
    const auto steps = hn::Add(hn::Mul(hn::LoadU(tag, weights.data() + i), one), half);
    const auto fixed = hn::DemoteTo(signed_tag, steps);
    hn::StoreU(fixed, signed_tag, reinterpret_cast<std::int32_t*>(rounded) + i);
    const auto whole = hn::PromoteTo(tag, fixed);
    sum = hn::Add(sum, whole);
    least = hn::Min(least, whole);
    largest = hn::Max(largest, whole);
  }
  Seen seen{hn::GetLane(hn::SumOfLanes(tag, sum)), hn::GetLane(hn::MinOfLanes(tag, least)),
            hn::GetLane(hn::MaxOfLanes(tag, largest))};
  for (; i < weights.size(); ++i) {
    rounded[i] = to_fixed(weights[i]);
    seen.sum += rounded[i];
    seen.least = std::min<double>(seen.least, rounded[i]);
    seen.largest = std::max<double>(seen.largest, rounded[i]);
  }
  return seen;
}

RoundedWeights RoundWeights(std::span<const double> weights, FixedWeight* rounded) {
  constexpr FixedWeight kLargestSigned = kFixedOne - 1;
  const Seen seen = RoundSigned(weights, rounded);
  auto sum = static_cast<std::uint64_t>(seen.sum);
  if (seen.largest >= kLargestSigned) {  // the weight of an image's only word
    sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += rounded[i] = to_fixed(weights[i]);
  }
  const auto zeros = seen.least >= 1 ? 0 : std::count(rounded, rounded + weights.size(), 0u);
  return {sum, static_cast<std::size_t>(zeros)};
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(RoundWeights);

RoundedWeights round_weights(std::span<const double> weights, FixedWeight* rounded) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(RoundWeights)(weights, rounded);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
