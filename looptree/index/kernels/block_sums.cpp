// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/kernels/block_sums.hpp"

#include "looptree/index/kernels/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/kernels/block_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<std::uint64_t, kLine / sizeof(std::uint64_t)>;
using Bits = hn::Vec<Tag>;

void FramesReaching(const BlockSums& sums, std::uint32_t least, FrameBits& result) {
  // sum >= least is sum > least - 1: from the top plane down, the first difference decides.
  const std::uint32_t below = least - 1;
  const Tag tag;
  for (std::size_t column = 0; column < kLine / 8; column += hn::Lanes(tag)) {
    Bits greater = hn::Zero(tag);
    Bits equal = hn::Not(greater);
    for (std::size_t plane = BlockSums::kPlanes; plane-- > 0;) {
      const Bits bit = hn::Load(tag, sums.planes[plane] + column);
      if (((below >> plane) & 1) != 0) {
        equal = hn::And(equal, bit);
      } else {
        greater = hn::Or(greater, hn::And(equal, bit));
        equal = hn::AndNot(bit, equal);
      }
    }
    hn::StoreU(greater, tag, result.words.data() + column);
  }
}

using SumTag = hn::CappedTag<std::uint16_t, 32>;

/// Where a plane has bits, from frame `frame` on. Masks are read eight lanes to the byte.
HWY_INLINE hn::Mask<SumTag> PlaneMask(const std::uint8_t* plane, std::size_t frame) {
  const SumTag tag;
  if (hn::Lanes(tag) >= 8) return hn::LoadMaskBits(tag, plane + frame / 8);
  const auto shared = static_cast<std::uint8_t>(plane[frame / 8] >> (frame % 8));
  return hn::LoadMaskBits(tag, &shared);
}

void AddBlockSums(const BlockSums& rows, std::uint16_t* sums) {
  const SumTag tag;
  for (std::size_t frame = 0; frame < kBlockFrames; frame += hn::Lanes(tag)) {
    auto sum = hn::LoadU(tag, sums + frame);
    for (std::size_t plane = 0; plane < BlockSums::kPlanes; ++plane) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(rows.planes[plane]);
      const auto weight = hn::Set(tag, static_cast<std::uint16_t>(1u << plane));
      sum = hn::Add(sum, hn::IfThenElseZero(PlaneMask(bytes, frame), weight));
    }
    hn::StoreU(sum, tag, sums + frame);
  }
}

void KeepSums(const FrameBits& kept, std::uint16_t least, std::uint16_t* sums) {
  const SumTag tag;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(kept.words.data());
  const auto limit = hn::Set(tag, least);
  for (std::size_t frame = 0; frame < kBlockFrames; frame += hn::Lanes(tag)) {
    const auto sum = hn::Max(hn::LoadU(tag, sums + frame), limit);
    hn::StoreU(hn::IfThenElseZero(PlaneMask(bytes, frame), sum), tag, sums + frame);
  }
}

void SumsReaching(const std::uint16_t* sums, std::uint16_t least, FrameBits& result) {
  const SumTag tag;
  auto* bytes = reinterpret_cast<std::uint8_t*>(result.words.data());
  const auto limit = hn::Set(tag, least);
  for (std::size_t frame = 0; frame < kBlockFrames; frame += hn::Lanes(tag)) {
    const auto sum = hn::LoadU(tag, sums + frame);
    const auto reaches = hn::Eq(hn::Max(sum, limit), sum);
    std::uint8_t mask[8] = {};
    hn::StoreMaskBits(tag, reaches, mask);
    if (hn::Lanes(tag) < 8) {
      bytes[frame / 8] |= static_cast<std::uint8_t>(mask[0] << (frame % 8));
    } else {
      for (std::size_t i = 0; i < hn::Lanes(tag) / 8; ++i) bytes[frame / 8 + i] = mask[i];
    }
  }
}

void HighestSums(const std::uint16_t* sums, SetSums& highest) {
  const SumTag tag;
  for (std::size_t set = 0; set < highest.size(); set += hn::Lanes(tag)) {
    auto most = hn::Zero(tag);
    for (std::size_t frame = set; frame < kBlockFrames; frame += highest.size()) {
      most = hn::Max(most, hn::LoadU(tag, sums + frame));
    }
    hn::StoreU(most, tag, highest.data() + set);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(FramesReaching);
HWY_EXPORT(AddBlockSums);
HWY_EXPORT(KeepSums);
HWY_EXPORT(SumsReaching);
HWY_EXPORT(HighestSums);

FrameBits frames_reaching(const BlockSums& sums, std::uint32_t least) {
  FrameBits result;
  if (least > RowPlan::kMaxSum) return result;
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(FramesReaching)(sums, least, result);
  return result;
}

void add_block_sums(const BlockSums& rows, std::uint16_t* sums) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(AddBlockSums)(rows, sums);
}

void keep_sums(const FrameBits& kept, std::uint16_t least, std::uint16_t* sums) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(KeepSums)(kept, least, sums);
}

FrameBits sums_reaching(const std::uint16_t* sums, std::uint32_t least) {
  FrameBits result;
  if (least > RowPlan::kMaxSum) return result;
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(SumsReaching)(sums, static_cast<std::uint16_t>(least), result);
  return result;
}

SetSums highest_sums(const std::uint16_t* sums) {
  prepare_simd();
  SetSums highest;
  HWY_DYNAMIC_DISPATCH(HighestSums)(sums, highest);
  return highest;
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
