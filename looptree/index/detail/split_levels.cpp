// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/split_levels.hpp"

#include <bit>
#include <cstddef>

#include "looptree/common/simd.hpp"
#include "looptree/index/detail/row_plan.hpp"

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

constexpr int kLineBits = std::countr_zero(kLine);

/// Products alone: a sum of them would come out differently where machines multiply and add at
/// once.
template <class Tag>
HWY_INLINE void SplitLanes(Tag tag, const SplitRequest& request, std::size_t at,
                           const SplitResult& result) {
  const hn::RebindToUnsigned<Tag> fixed;
  const hn::RebindToSigned<Tag> whole;
  const auto per_step = hn::Set(tag, static_cast<float>(kRaise / request.step));
  const auto scale = hn::Set(tag, static_cast<float>(kRaise * request.scale));
  const auto given =
      hn::Min(hn::LoadU(fixed, request.weights.data() + at), hn::Set(fixed, kLargestSigned));
  const auto weight = hn::ConvertTo(tag, hn::BitCast(whole, given));
  hn::Vec<decltype(fixed)> line;
  hn::Vec<decltype(fixed)> unit;
  static_assert(sizeof(RowLayout::Place) == 8 && offsetof(RowLayout::Place, unit) == 4);
  hn::LoadInterleaved2(fixed, reinterpret_cast<const std::uint32_t*>(request.places.data() + at),
                       line, unit);
  const auto limit = hn::Mul(hn::BitCast(tag, unit), scale);
  const auto splits = hn::Lt(limit, hn::Mul(weight, hn::Set(tag, 1 - kWorthARow)));
  const auto lighter = hn::IfThenElse(splits, limit, weight);
  // Rounded down, and one more: by one too much where it was whole.
  const auto all = hn::ConvertTo(whole, hn::Mul(weight, per_step));
  const auto part = hn::ConvertTo(whole, hn::Mul(lighter, per_step));
  hn::StoreU(hn::BitCast(fixed, hn::Add(part, hn::Set(whole, 1))), fixed, result.light + at);
  hn::StoreU(hn::BitCast(fixed, hn::Sub(all, part)), fixed, result.heavy + at);
  hn::StoreU(hn::ShiftLeft<kLineBits>(line), fixed, result.rows + at);
}

void SplitLevels(const SplitRequest& request, const SplitResult& result) {
  const hn::CappedTag<float, 16> tag;
  const hn::CappedTag<float, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(tag) <= request.weights.size(); i += hn::Lanes(tag)) {
    SplitLanes(tag, request, i, result);
  }
  for (; i < request.weights.size(); ++i) SplitLanes(one, request, i, result);
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
HWY_EXPORT(AppendHeavy);

void split_levels(const SplitRequest& request, const SplitResult& result) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(SplitLevels)(request, result);
}

std::size_t append_heavy(const HeavyRequest& request) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(AppendHeavy)(request);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
