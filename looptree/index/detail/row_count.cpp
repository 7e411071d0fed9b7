// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/row_count.hpp"

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/detail/row_count.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef LOOPTREE_UNROLL
#define LOOPTREE_UNROLL _Pragma("GCC unroll 16")
#endif

HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<std::uint64_t, kLine / sizeof(std::uint64_t)>;
using Bits = hn::Vec<Tag>;

constexpr std::size_t kCountPlanes = 13;
constexpr std::size_t kSumPlanes = 16;
/// Units between a prefetch and the use of its lines: enough for the answer to arrive, few enough
/// for the level-2 cache to hold.
constexpr std::size_t kAheadUnits = 24;
/// The same for lines that are asked for twice.
constexpr std::size_t kFarUnits = 48;
constexpr std::size_t kAgainUnits = 12;
/// Units after which narrower machines go on to the next column: the rows should still lie in the
/// level-1 cache when the next column reads them.
constexpr std::size_t kChunkUnits = 32;

/// Adds three planes of one weight: the sum keeps the weight, the carry has twice of it. Where
/// there is no instruction for three planes, both share the difference of the first two, so the
/// plane that is waited for comes last.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
HWY_INLINE Bits Sum(Bits a, Bits b, Bits c) {
  return hn::Xor3(a, b, c);
}
HWY_INLINE Bits Carry(Bits a, Bits b, Bits c) {
  return Bits{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, 0xE8)};
}
#else
HWY_INLINE Bits Sum(Bits a, Bits b, Bits c) {
  return hn::Xor(hn::Xor(a, b), c);
}
HWY_INLINE Bits Carry(Bits a, Bits b, Bits c) {
  const Bits differ = hn::Xor(a, b);
  return hn::Or(hn::And(differ, c), hn::AndNot(differ, a));
}
#endif

HWY_INLINE Bits LoadLine(const std::uint8_t* line) {
  return hn::Load(Tag(), reinterpret_cast<const std::uint64_t*>(line));
}

/// The planes of a block between chunks of rows. Each plane fills one line, of which a column uses
/// its part.
struct alignas(64) Planes {
  std::uint64_t count[kCountPlanes][kLine / 8];
  std::uint64_t sum[kSumPlanes][kLine / 8];
};

/// The rows of one unit, in one column.
struct UnitRows {
  const std::uint8_t* base;
  const std::uint32_t* rows;
  HWY_INLINE Bits operator[](std::size_t i) const { return LoadLine(base + rows[i]); }
};

/// Eight rows into the three lowest planes; what comes out weighs eight.
HWY_INLINE Bits AddEight(const UnitRows& rows, Bits (&count)[kCountPlanes]) {
  Bits fours[2] = {count[0], count[0]};
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t at = 4 * half;
    const Bits a = rows[at];
    const Bits b = rows[at + 1];
    const Bits two_a = Carry(a, b, count[0]);
    count[0] = Sum(a, b, count[0]);
    const Bits c = rows[at + 2];
    const Bits d = rows[at + 3];
    const Bits two_b = Carry(c, d, count[0]);
    count[0] = Sum(c, d, count[0]);
    fours[half] = Carry(two_a, two_b, count[1]);
    count[1] = Sum(two_a, two_b, count[1]);
  }
  const Bits eight = Carry(fours[0], fours[1], count[2]);
  count[2] = Sum(fours[0], fours[1], count[2]);
  return eight;
}

/// A unit of rows into the planes of a count that stays below 2^kPlanes.
template <std::size_t kPlanes>
HWY_INLINE void AddUnit(const UnitRows& rows, Bits (&count)[kCountPlanes]) {
  static_assert(kUnitRows == 8);
  Bits carry = AddEight(rows, count);
  for (std::size_t plane = 3; plane < kPlanes; ++plane) {
    const Bits old = count[plane];
    count[plane] = hn::Xor(old, carry);
    carry = hn::And(old, carry);
  }
}

/// sum += count << kShift.
template <std::size_t kPlanes, std::size_t kShift>
HWY_INLINE void AddShifted(const Bits (&count)[kCountPlanes], Bits (&sum)[kSumPlanes]) {
  Bits carry = hn::And(sum[kShift], count[0]);
  sum[kShift] = hn::Xor(sum[kShift], count[0]);
  LOOPTREE_UNROLL
  for (std::size_t plane = kShift + 1; plane < kSumPlanes; ++plane) {
    const Bits old = sum[plane];
    if (plane - kShift < kPlanes) {
      sum[plane] = Sum(old, count[plane - kShift], carry);
      carry = Carry(old, count[plane - kShift], carry);
    } else {
      sum[plane] = hn::Xor(old, carry);
      carry = hn::And(old, carry);
    }
  }
}

/// sum += count x factor. One case per bit, so that every plane is known by name and stays in a
/// register: stores would take longer than all the rest.
template <std::size_t kPlanes>
HWY_INLINE void AddMultiple(const Bits (&count)[kCountPlanes], std::uint32_t factor,
                            Bits (&sum)[kSumPlanes]) {
  static_assert(RowPlan::kMaxLevel < 256, "a case per bit");
  for (; factor != 0; factor &= factor - 1) {
    switch (factor & (0 - factor)) {
      case 1u << 0:
        AddShifted<kPlanes, 0>(count, sum);
        break;
      case 1u << 1:
        AddShifted<kPlanes, 1>(count, sum);
        break;
      case 1u << 2:
        AddShifted<kPlanes, 2>(count, sum);
        break;
      case 1u << 3:
        AddShifted<kPlanes, 3>(count, sum);
        break;
      case 1u << 4:
        AddShifted<kPlanes, 4>(count, sum);
        break;
      case 1u << 5:
        AddShifted<kPlanes, 5>(count, sum);
        break;
      case 1u << 6:
        AddShifted<kPlanes, 6>(count, sum);
        break;
      default:
        AddShifted<kPlanes, 7>(count, sum);
        break;
    }
  }
}

/// Behind the last unit of this block come the first units of the next.
HWY_INLINE void PrefetchUnit(const RowPlan& plan, const BlockRows& rows, std::size_t unit) {
  const bool same = unit < plan.units();
  const std::uint8_t* where = same ? rows.block : rows.next;
  const std::size_t ahead = unit - (same ? 0 : plan.units());
  if (where == nullptr || ahead >= plan.units()) return;
  const std::uint32_t* wanted = plan.rows.data() + ahead * kUnitRows;
  for (std::size_t i = 0; i < kUnitRows; ++i) __builtin_prefetch(where + wanted[i], 0, 2);
}

HWY_INLINE void PrefetchAhead(const RowPlan& plan, const BlockRows& rows, std::size_t unit) {
  PrefetchUnit(plan, rows, unit + (rows.far ? kFarUnits : kAheadUnits));
  if (rows.far) PrefetchUnit(plan, rows, unit + kAgainUnits);
}

/// Units [first, last) in one column.
template <std::size_t kPlanes>
HWY_NOINLINE void CountUnits(const RowPlan& plan, const BlockRows& rows, std::size_t first,
                             std::size_t last, Planes& planes, std::size_t column) {
  const Tag tag;
  Bits count[kCountPlanes];
  LOOPTREE_UNROLL
  for (std::size_t i = 0; i < kCountPlanes; ++i) count[i] = hn::Load(tag, planes.count[i] + column);
  Bits sum[kSumPlanes];
  LOOPTREE_UNROLL
  for (std::size_t i = 0; i < kSumPlanes; ++i) sum[i] = hn::Load(tag, planes.sum[i] + column);
  const std::uint8_t* base = rows.block + column * 8;
  for (std::size_t u = first; u < last; ++u) {
    if (column == 0) PrefetchAhead(plan, rows, u);
    AddUnit<kPlanes>(UnitRows{base, plan.rows.data() + u * kUnitRows}, count);
    AddMultiple<kPlanes>(count, plan.gap(u), sum);
  }
  LOOPTREE_UNROLL
  for (std::size_t i = 0; i < kCountPlanes; ++i) hn::Store(count[i], tag, planes.count[i] + column);
  LOOPTREE_UNROLL
  for (std::size_t i = 0; i < kSumPlanes; ++i) hn::Store(sum[i], tag, planes.sum[i] + column);
}

/// All units of the plan; few planes while the count is small.
void CountBlock(const RowPlan& plan, const BlockRows& rows, Planes& planes) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  const Bits zero = hn::Zero(tag);
  for (std::size_t column = 0; column < kLine / 8; column += lanes) {
    for (auto& plane : planes.count) hn::Store(zero, tag, plane + column);
    for (auto& plane : planes.sum) hn::Store(zero, tag, plane + column);
  }
  const std::size_t units = plan.units();
  const std::size_t chunk_units = lanes < kLine / 8 ? kChunkUnits : units;
  const std::size_t limits[] = {(1u << 8) / kUnitRows - 1, (1u << 11) / kUnitRows - 1, units};
  for (std::size_t first = 0; first < units;) {
    const std::size_t size_class = first < limits[0] ? 0 : first < limits[1] ? 1 : 2;
    std::size_t last = first + chunk_units;
    last = last < limits[size_class] ? last : limits[size_class];
    last = last < units ? last : units;
    for (std::size_t column = 0; column < kLine / 8; column += lanes) {
      if (size_class == 0) {
        CountUnits<8>(plan, rows, first, last, planes, column);
      } else if (size_class == 1) {
        CountUnits<11>(plan, rows, first, last, planes, column);
      } else {
        CountUnits<kCountPlanes>(plan, rows, first, last, planes, column);
      }
    }
    first = last;
  }
}

void FramesReaching(const RowPlan& plan, std::uint32_t least, const BlockRows& rows,
                    FrameBits& result) {
  Planes planes;
  CountBlock(plan, rows, planes);
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

void AddFrameSums(const RowPlan& plan, const BlockRows& rows, std::uint16_t* sums) {
  Planes planes;
  CountBlock(plan, rows, planes);
  const SumTag tag;
  for (std::size_t frame = 0; frame < kRowBits; frame += hn::Lanes(tag)) {
    auto sum = hn::LoadU(tag, sums + frame);
    for (std::size_t plane = 0; plane < kSumPlanes; ++plane) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(planes.sum[plane]);
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
  for (std::size_t frame = 0; frame < kRowBits; frame += hn::Lanes(tag)) {
    const auto sum = hn::Max(hn::LoadU(tag, sums + frame), limit);
    hn::StoreU(hn::IfThenElseZero(PlaneMask(bytes, frame), sum), tag, sums + frame);
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
HWY_EXPORT(AddFrameSums);
HWY_EXPORT(KeepSums);
HWY_EXPORT(SumsReaching);

FrameBits frames_reaching(const RowPlan& plan, std::uint32_t least, const BlockRows& rows) {
  FrameBits result;
  if (least > RowPlan::kMaxSum) return result;
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(FramesReaching)(plan, least, rows, result);
  return result;
}

void add_frame_sums(const RowPlan& plan, const BlockRows& rows, std::uint16_t* sums) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(AddFrameSums)(plan, rows, sums);
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

}  // namespace looptree::detail
#endif  // HWY_ONCE
