// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/kernels/impacts.hpp"

#include <algorithm>
#include <cstddef>

#include "looptree/index/kernels/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/kernels/impacts.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// More than single precision can lose in a weight, a factor and two products: factors are raised
/// by it, so that what comes out is never too small.
constexpr double kRaise = 1 + 1.0 / (1 << 20);

/// The machine converts signed numbers, and 2^31, the weight of an image's only word, is the
/// nearest float to the largest of them.
constexpr FixedWeight kLargestSigned = kFixedOne - 1;

/// Weights as the numbers of single precision nearest to them.
template <class Tag>
HWY_INLINE hn::Vec<Tag> LoadWeights(Tag tag, const FixedWeight* weights) {
  const hn::RebindToUnsigned<Tag> fixed;
  const hn::RebindToSigned<Tag> whole;
  const auto given = hn::Min(hn::LoadU(fixed, weights), hn::Set(fixed, kLargestSigned));
  return hn::ConvertTo(tag, hn::BitCast(whole, given));
}

/// Rounded down, and one more: by one too much where it was whole.
template <class Tag>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<Tag>> ImpactsOf(Tag tag, hn::Vec<Tag> weights,
                                                        FixedWeight quantum) {
  const hn::RebindToUnsigned<Tag> fixed;
  const hn::RebindToSigned<Tag> whole;
  const auto per_quantum = hn::Set(tag, static_cast<float>(kRaise / quantum));
  const auto quanta = hn::ConvertTo(whole, hn::Mul(weights, per_quantum));
  return hn::BitCast(fixed, hn::Add(quanta, hn::Set(whole, 1)));
}

/// Calls lanes(tag, at) for all of `size`, and returns the highest of what it returned.
template <class Lanes>
HWY_INLINE std::uint32_t ForLanes(std::size_t size, Lanes lanes) {
  const hn::CappedTag<float, 16> tag;
  const hn::CappedTag<float, 1> one;
  const hn::RebindToUnsigned<decltype(tag)> fixed;
  auto highest = hn::Zero(fixed);
  std::size_t i = 0;
  for (; i + hn::Lanes(tag) <= size; i += hn::Lanes(tag)) {
    highest = hn::Max(highest, lanes(tag, i));
  }
  std::uint32_t most = hn::GetLane(hn::MaxOfLanes(fixed, highest));
  for (; i < size; ++i) most = std::max(most, hn::GetLane(lanes(one, i)));
  return most;
}

/// Products alone: a sum of them would come out differently where machines multiply and add at
/// once.
template <class Tag>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<Tag>> SplitLanes(Tag tag, const SplitRequest& request,
                                                         std::size_t at,
                                                         const SplitResult& result) {
  const hn::RebindToUnsigned<Tag> fixed;
  const auto scale = hn::Set(tag, static_cast<float>(kRaise * request.scale));
  const auto weight = LoadWeights(tag, request.weights.data() + at);
  const auto limit = hn::Mul(hn::LoadU(tag, request.idf.data() + at), scale);
  const auto splits = hn::Lt(limit, hn::Mul(weight, hn::Set(tag, 1 - kWorthARow)));
  const auto all = ImpactsOf(tag, weight, request.quantum);
  const auto part = ImpactsOf(tag, hn::IfThenElse(splits, limit, weight), request.quantum);
  hn::StoreU(part, fixed, result.once + at);
  hn::StoreU(hn::Sub(all, part), fixed, result.repeated + at);
  return all;
}

std::uint32_t SplitImpacts(const SplitRequest& request, const SplitResult& result) {
  return ForLanes(request.weights.size(), [&](auto tag, std::size_t at) HWY_ATTR {
    return SplitLanes(tag, request, at, result);
  });
}

std::uint32_t WholeImpacts(std::span<const FixedWeight> weights, FixedWeight quantum,
                           std::uint32_t* impacts) {
  return ForLanes(weights.size(), [&](auto tag, std::size_t at) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(tag)> fixed;
    const auto all = ImpactsOf(tag, LoadWeights(tag, weights.data() + at), quantum);
    hn::StoreU(all, fixed, impacts + at);
    return all;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(SplitImpacts);
HWY_EXPORT(WholeImpacts);

std::uint32_t split_impacts(const SplitRequest& request, const SplitResult& result) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(SplitImpacts)(request, result);
}

std::uint32_t whole_impacts(std::span<const FixedWeight> weights, FixedWeight quantum,
                            std::uint32_t* impacts) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(WholeImpacts)(weights, quantum, impacts);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
