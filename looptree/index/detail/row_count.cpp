// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/row_count.hpp"

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/detail/row_count.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<std::uint64_t, kLine / sizeof(std::uint64_t)>;
using Bits = hn::Vec<Tag>;

constexpr std::size_t kCountPlanes = 13;
constexpr std::size_t kSumPlanes = 16;
/// Rows between a prefetch and the use of the line: enough for memory to answer, few enough for the
/// level-2 cache to hold.
constexpr std::size_t kAhead = 160;
/// Rows after which narrower machines go on to the next column: they should still lie in the
/// level-1 cache when the next column reads them.
constexpr std::size_t kChunkUnits = 16;

/// Adds three planes of one weight: the sum keeps the weight, the carry has twice of it.
HWY_INLINE Bits Sum(Bits a, Bits b, Bits c) {
  return hn::Xor3(a, b, c);
}
HWY_INLINE Bits Carry(Bits a, Bits b, Bits c) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return Bits{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, 0xE8)};
#else
  const Bits differ = hn::Xor(a, b);
  return hn::Or(hn::And(differ, c), hn::AndNot(differ, a));
#endif
}

/// The planes of one column of a block, between chunks of rows. Each plane fills one line, of which
/// a column uses its part.
struct alignas(64) Planes {
  std::uint64_t count[kCountPlanes][kLine / 8];
  std::uint64_t sum[kSumPlanes][kLine / 8];
};

HWY_INLINE Bits LoadLine(const std::uint8_t* line) {
  return hn::Load(Tag(), reinterpret_cast<const std::uint64_t*>(line));
}

/// Adds four rows to the low planes; what comes out weighs four.
template <bool kMasked>
struct Rows {
  const std::uint8_t* base;
  const std::uint32_t* rows;
  const std::uint32_t* masks;
  HWY_INLINE Bits operator[](std::size_t i) const {
    const Bits row = LoadLine(base + std::size_t{rows[i]} * kLine);
    if constexpr (kMasked) return hn::And(row, LoadLine(base + std::size_t{masks[i]} * kLine));
    return row;
  }
};

/// sum += count << shift, over all planes.
HWY_INLINE void AddCount(std::uint64_t (&count)[kCountPlanes][kLine / 8],
                         std::uint64_t (&sum)[kSumPlanes][kLine / 8], std::size_t shift,
                         std::size_t live_planes, std::size_t column) {
  const Tag tag;
  Bits carry = hn::Zero(tag);
  std::size_t plane = shift;
  for (; plane < shift + live_planes && plane < kSumPlanes; ++plane) {
    const Bits a = hn::Load(tag, sum[plane] + column);
    const Bits b = hn::Load(tag, count[plane - shift] + column);
    hn::Store(Sum(a, b, carry), tag, sum[plane] + column);
    carry = Carry(a, b, carry);
  }
  for (; plane < kSumPlanes; ++plane) {
    const Bits a = hn::Load(tag, sum[plane] + column);
    hn::Store(hn::Xor(a, carry), tag, sum[plane] + column);
    carry = hn::And(a, carry);
  }
}

/// Counts sixteen rows into the planes: a tree of carry-save adders.
template <bool kMasked>
HWY_INLINE void AddUnit(const Rows<kMasked>& rows, Planes& planes, std::size_t live_planes,
                        std::size_t column) {
  const Tag tag;
  Bits ones = hn::Load(tag, planes.count[0] + column);
  Bits twos = hn::Load(tag, planes.count[1] + column);
  Bits fours = hn::Load(tag, planes.count[2] + column);
  Bits eights = hn::Load(tag, planes.count[3] + column);
  Bits carry_eights[2] = {ones, ones};
  for (std::size_t half = 0; half < 2; ++half) {
    Bits carry_fours[2] = {ones, ones};
    for (std::size_t quarter = 0; quarter < 2; ++quarter) {
      const std::size_t first = 8 * half + 4 * quarter;
      const Bits a = rows[first];
      const Bits b = rows[first + 1];
      const Bits two_a = Carry(ones, a, b);
      ones = Sum(ones, a, b);
      const Bits c = rows[first + 2];
      const Bits d = rows[first + 3];
      const Bits two_b = Carry(ones, c, d);
      ones = Sum(ones, c, d);
      carry_fours[quarter] = Carry(twos, two_a, two_b);
      twos = Sum(twos, two_a, two_b);
    }
    carry_eights[half] = Carry(fours, carry_fours[0], carry_fours[1]);
    fours = Sum(fours, carry_fours[0], carry_fours[1]);
  }
  Bits carry = Carry(eights, carry_eights[0], carry_eights[1]);
  eights = Sum(eights, carry_eights[0], carry_eights[1]);
  hn::Store(ones, tag, planes.count[0] + column);
  hn::Store(twos, tag, planes.count[1] + column);
  hn::Store(fours, tag, planes.count[2] + column);
  hn::Store(eights, tag, planes.count[3] + column);
  for (std::size_t plane = 4; plane < live_planes; ++plane) {
    const Bits a = hn::Load(tag, planes.count[plane] + column);
    hn::Store(hn::Xor(a, carry), tag, planes.count[plane] + column);
    carry = hn::And(a, carry);
  }
}

/// Planes a count needs after so many units.
HWY_INLINE std::size_t LivePlanes(std::size_t units) {
  std::size_t planes = 5;
  while (planes < kCountPlanes && (units << 4) >> planes != 0) ++planes;
  return planes;
}

void CountBlock(const RowPlan& plan, const std::uint8_t* block, const std::uint8_t* next,
                Planes& planes) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  const Bits zero = hn::Zero(tag);
  for (std::size_t column = 0; column < kLine / 8; column += lanes) {
    for (auto& plane : planes.count) hn::Store(zero, tag, plane + column);
    for (auto& plane : planes.sum) hn::Store(zero, tag, plane + column);
  }
  const std::size_t total = plan.rows.size();
  for (std::size_t chunk = 0; chunk < plan.units.size(); chunk += kChunkUnits) {
    const std::size_t end =
        chunk + kChunkUnits < plan.units.size() ? chunk + kChunkUnits : plan.units.size();
    for (std::size_t column = 0; column < kLine / 8; column += lanes) {
      for (std::size_t u = chunk; u < end; ++u) {
        const std::size_t first = u * kUnitRows;
        if (column == 0) {
          for (std::size_t i = first + kAhead; i < first + kAhead + kUnitRows; ++i) {
            if (i < total) {
              __builtin_prefetch(block + std::size_t{plan.rows[i]} * kLine, 0, 2);
            } else if (next != nullptr && i - total < total) {
              __builtin_prefetch(next + std::size_t{plan.rows[i - total]} * kLine, 0, 2);
            }
          }
        }
        const std::size_t live = LivePlanes(u + 1);
        const std::uint8_t* base = block + column * 8;
        if (plan.units[u].masked) {
          AddUnit(Rows<true>{base, &plan.rows[first], &plan.masks[first]}, planes, live, column);
        } else {
          AddUnit(Rows<false>{base, &plan.rows[first], nullptr}, planes, live, column);
        }
        std::uint32_t gap = plan.units[u].gap;
        for (std::size_t shift = 0; gap != 0; gap >>= 1, ++shift) {
          if ((gap & 1) != 0) AddCount(planes.count, planes.sum, shift, live, column);
        }
      }
    }
  }
}

void FramesReaching(const RowPlan& plan, std::uint32_t least, const std::uint8_t* block,
                    const std::uint8_t* next, FrameBits& result) {
  HWY_ALIGN Planes planes;
  CountBlock(plan, block, next, planes);
  // sum >= least is sum > least - 1: from the top plane down, the first difference decides.
  const std::uint32_t below = least - 1;
  const Tag tag;
  for (std::size_t column = 0; column < kLine / 8; column += hn::Lanes(tag)) {
    Bits greater = hn::Zero(tag);
    Bits equal = hn::Not(greater);
    for (std::size_t plane = kSumPlanes; plane-- > 0;) {
      const Bits bit = hn::Load(tag, planes.sum[plane] + column);
      if (((below >> plane) & 1) != 0) {
        equal = hn::And(equal, bit);
      } else {
        greater = hn::Or(greater, hn::And(equal, bit));
        equal = hn::AndNot(bit, equal);
      }
    }
    hn::Store(greater, tag, result.words.data() + column);
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

void FrameSums(const RowPlan& plan, const std::uint8_t* block, const std::uint8_t* next, bool add,
               std::uint16_t* sums) {
  HWY_ALIGN Planes planes;
  CountBlock(plan, block, next, planes);
  const SumTag tag;
  for (std::size_t frame = 0; frame < kRowBits; frame += hn::Lanes(tag)) {
    auto sum = add ? hn::LoadU(tag, sums + frame) : hn::Zero(tag);
    for (std::size_t plane = 0; plane < kSumPlanes; ++plane) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(planes.sum[plane]);
      const auto weight = hn::Set(tag, static_cast<std::uint16_t>(1u << plane));
      sum = hn::Add(sum, hn::IfThenElseZero(PlaneMask(bytes, frame), weight));
    }
    hn::StoreU(sum, tag, sums + frame);
  }
}

void SumsReaching(const std::uint16_t* sums, std::uint16_t least, FrameBits& result) {
  const SumTag tag;
  auto* bytes = reinterpret_cast<std::uint8_t*>(result.words.data());
  const auto limit = hn::Set(tag, least);
  for (std::size_t frame = 0; frame < kRowBits; frame += hn::Lanes(tag)) {
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

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(FramesReaching);
HWY_EXPORT(FrameSums);
HWY_EXPORT(SumsReaching);

FrameBits frames_reaching(const RowPlan& plan, std::uint32_t least, const std::uint8_t* block,
                          const std::uint8_t* next) {
  FrameBits result;
  if (least > RowPlan::kMaxSum) return result;
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(FramesReaching)(plan, least, block, next, result);
  return result;
}

void frame_sums(const RowPlan& plan, const std::uint8_t* block, const std::uint8_t* next, bool add,
                std::uint16_t* sums) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(FrameSums)(plan, block, next, add, sums);
}

FrameBits sums_reaching(const std::uint16_t* sums, std::uint32_t least) {
  FrameBits result;
  if (least > RowPlan::kMaxSum) return result;
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(SumsReaching)(sums, static_cast<std::uint16_t>(least), result);
  return result;
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
