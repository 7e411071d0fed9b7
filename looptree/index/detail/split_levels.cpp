// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/split_levels.hpp"

#include <algorithm>
#include <cstddef>

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/detail/split_levels.cpp"
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
HWY_INLINE hn::Vec<hn::RebindToUnsigned<Tag>> LevelsOf(Tag tag, hn::Vec<Tag> weights,
                                                       FixedWeight step) {
  const hn::RebindToUnsigned<Tag> fixed;
  const hn::RebindToSigned<Tag> whole;
  const auto per_step = hn::Set(tag, static_cast<float>(kRaise / step));
  const auto steps = hn::ConvertTo(whole, hn::Mul(weights, per_step));
  return hn::BitCast(fixed, hn::Add(steps, hn::Set(whole, 1)));
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
  const auto limit = hn::Mul(hn::LoadU(tag, request.units.data() + at), scale);
  const auto splits = hn::Lt(limit, hn::Mul(weight, hn::Set(tag, 1 - kWorthARow)));
  const auto all = LevelsOf(tag, weight, request.step);
  const auto part = LevelsOf(tag, hn::IfThenElse(splits, limit, weight), request.step);
  hn::StoreU(part, fixed, result.light + at);
  hn::StoreU(hn::Sub(all, part), fixed, result.heavy + at);
  return all;
}

std::uint32_t SplitLevels(const SplitRequest& request, const SplitResult& result) {
  return ForLanes(request.weights.size(), [&](auto tag, std::size_t at) HWY_ATTR {
    return SplitLanes(tag, request, at, result);
  });
}

std::uint32_t WholeLevels(std::span<const FixedWeight> weights, FixedWeight step,
                          std::uint32_t* levels) {
  return ForLanes(weights.size(), [&](auto tag, std::size_t at) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(tag)> fixed;
    const auto all = LevelsOf(tag, LoadWeights(tag, weights.data() + at), step);
    hn::StoreU(all, fixed, levels + at);
    return all;
  });
}

/// Those of some words behind `end`; returns the new end.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
template <class Tag>
HWY_INLINE std::size_t AppendLanes(Tag tag, const HeavyRequest& request, std::size_t word,
                                   std::size_t end) {
  const auto levels = hn::LoadU(tag, request.heavy.data() + word);
  const auto rows = hn::Add(hn::LoadU(tag, request.rows + word), hn::Set(tag, request.to_heavy));
  const auto some = hn::Ne(levels, hn::Zero(tag));
  hn::StoreU(hn::Compress(rows, some), tag, request.rows + end);
  hn::StoreU(hn::Compress(levels, some), tag, request.levels + end);
  return end + hn::CountTrue(tag, some);
}
#else
/// Where there is no instruction to compress, one by one: the table that does it instead may be
/// copied by the compiler for every use.
template <class Tag>
HWY_INLINE std::size_t AppendLanes(Tag tag, const HeavyRequest& request, std::size_t word,
                                   std::size_t end) {
  for (std::size_t i = word; i < word + hn::Lanes(tag); ++i) {
    request.rows[end] = request.rows[i] + request.to_heavy;
    request.levels[end] = request.heavy[i];
    end += request.heavy[i] != 0 ? 1 : 0;  // no branch: nobody could guess it
  }
  return end;
}
#endif

std::size_t AppendHeavy(const HeavyRequest& request) {
  const hn::CappedTag<std::uint32_t, kHeavyRoom> tag;
  const hn::CappedTag<std::uint32_t, 1> one;
  const std::size_t words = request.heavy.size();
  std::size_t end = words;
  std::size_t word = 0;
  for (; word + hn::Lanes(tag) <= words; word += hn::Lanes(tag)) {
    end = AppendLanes(tag, request, word, end);
  }
  for (; word < words; ++word) end = AppendLanes(one, request, word, end);
  return end;
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(SplitLevels);
HWY_EXPORT(WholeLevels);
HWY_EXPORT(AppendHeavy);

std::uint32_t split_levels(const SplitRequest& request, const SplitResult& result) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(SplitLevels)(request, result);
}

std::uint32_t whole_levels(std::span<const FixedWeight> weights, FixedWeight step,
                           std::uint32_t* levels) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(WholeLevels)(weights, step, levels);
}

std::size_t append_heavy(const HeavyRequest& request) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(AppendHeavy)(request);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
