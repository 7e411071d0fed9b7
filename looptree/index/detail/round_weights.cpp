// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/round_weights.hpp"

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/detail/round_weights.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Converts to signed numbers, which every machine can; too large ones become the largest of these.
void RoundSigned(std::span<const double> weights, FixedWeight* rounded) {
  const hn::CappedTag<double, 8> tag;
  const hn::Rebind<std::int32_t, decltype(tag)> signed_tag;
  const auto one = hn::Set(tag, double{kFixedOne});
  const auto half = hn::Set(tag, 0.5);
  std::size_t i = 0;
  for (; i + hn::Lanes(tag) <= weights.size(); i += hn::Lanes(tag)) {
    const auto steps = hn::Add(hn::Mul(hn::LoadU(tag, weights.data() + i), one), half);
    const auto fixed = hn::DemoteTo(signed_tag, steps);
    hn::StoreU(fixed, signed_tag, reinterpret_cast<std::int32_t*>(rounded) + i);
  }
  for (; i < weights.size(); ++i) rounded[i] = to_fixed(weights[i]);
}

void RoundWeights(std::span<const double> weights, FixedWeight* rounded, RoundedWeights& result) {
  constexpr FixedWeight kLargestSigned = kFixedOne - 1;
  RoundSigned(weights, rounded);
  const std::size_t size = weights.size();
  FixedWeight largest = 0;
  std::uint32_t zeros = 0;
  for (std::size_t i = 0; i < size; ++i) {
    zeros += rounded[i] == 0 ? 1u : 0u;
    largest = largest < rounded[i] ? rounded[i] : largest;
  }
  if (largest >= kLargestSigned) {  // the weight of an image's only word
    for (std::size_t i = 0; i < size; ++i) rounded[i] = to_fixed(weights[i]);
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += rounded[i];
  result = {sum, zeros};
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(RoundWeights);

RoundedWeights round_weights(std::span<const double> weights, FixedWeight* rounded) {
  prepare_simd();
  RoundedWeights result{};
  HWY_DYNAMIC_DISPATCH(RoundWeights)(weights, rounded, result);
  return result;
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
