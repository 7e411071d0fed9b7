// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/row_count.hpp"

#include <algorithm>

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
/// Rows between a prefetch and the use of its lines: enough for the answer to arrive, few enough
/// for the level-2 cache to hold.
constexpr std::size_t kAheadRows = 192;
/// The same for lines that are asked for twice.
constexpr std::size_t kFarRows = 384;
constexpr std::size_t kAgainRows = 96;
/// Large units after which narrower machines go on to the next column: the rows should still lie in
/// the level-1 cache when the next column reads them.
constexpr std::size_t kChunkUnits = 8;

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

/// Adds two planes to a third of the same weight, and returns what is carried to the next.
HWY_INLINE Bits AddTwo(Bits a, Bits b, Bits& plane) {
  const Bits carry = Carry(a, b, plane);
  plane = Sum(a, b, plane);
  return carry;
}

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

/// 2^kLog rows from `first` on into the kLog lowest planes; what comes out weighs 2^kLog.
template <std::size_t kLog>
HWY_INLINE Bits AddRows(const UnitRows& rows, std::size_t first, Bits (&count)[kCountPlanes]) {
  constexpr std::size_t kHalf = std::size_t{1} << (kLog - 1);
  if constexpr (kLog == 1) {
    return AddTwo(rows[first], rows[first + kHalf], count[0]);
  } else {
    const Bits a = AddRows<kLog - 1>(rows, first, count);
    return AddTwo(a, AddRows<kLog - 1>(rows, first + kHalf, count), count[kLog - 1]);
  }
}

/// A unit of 2^kLog rows into the planes of a count that stays below 2^kPlanes.
template <std::size_t kLog, std::size_t kPlanes>
HWY_INLINE void AddUnit(const UnitRows& rows, Bits (&count)[kCountPlanes]) {
  Bits carry = AddRows<kLog>(rows, 0, count);
  LOOPTREE_UNROLL
  for (std::size_t plane = kLog; plane < kPlanes; ++plane) {
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

/// Eight rows, from row `at` on. Behind the last row of this block come the first ones of the next.
HWY_INLINE void PrefetchRows(const RowPlan& plan, const BlockRows& rows, std::size_t at) {
  const bool same = at < plan.rows.size();
  const std::uint8_t* where = same ? rows.block : rows.next;
  const std::size_t first = at - (same ? 0 : plan.rows.size());
  if (where == nullptr || first >= plan.rows.size()) return;
  const std::uint32_t* wanted = plan.rows.data() + first;
  for (std::size_t i = 0; i < 8; ++i) __builtin_prefetch(where + wanted[i], 0, 2);
}

HWY_INLINE void PrefetchAhead(const RowPlan& plan, const BlockRows& rows, std::size_t row) {
  PrefetchRows(plan, rows, row + (rows.far ? kFarRows : kAheadRows));
  if (rows.far) PrefetchRows(plan, rows, row + kAgainRows);
}

/// Units [first, last) in one column.
template <std::size_t kLog, std::size_t kPlanes>
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
    const std::size_t row = RowPlan::first_row(u);
    for (std::size_t i = 0; column == 0 && i < (std::size_t{1} << kLog); i += 8) {
      PrefetchAhead(plan, rows, row + i);
    }
    AddUnit<kLog, kPlanes>(UnitRows{base, plan.rows.data() + row}, count);
    AddMultiple<kPlanes>(count, plan.gap(u), sum);
  }
  LOOPTREE_UNROLL
  for (std::size_t i = 0; i < kCountPlanes; ++i) hn::Store(count[i], tag, planes.count[i] + column);
  LOOPTREE_UNROLL
  for (std::size_t i = 0; i < kSumPlanes; ++i) hn::Store(sum[i], tag, planes.sum[i] + column);
}

/// All units of the plan; few planes while the count is small.
void CountBlock(const RowPlan& plan, const BlockRows& rows, Planes& planes) {
  static_assert(RowPlan::kSmallUnit == 1u << 3 && RowPlan::kLargeUnit == 1u << 5);
  constexpr std::size_t kFewUnits = RowPlan::units_of((1u << 10) - RowPlan::kLargeUnit);
  static_assert(RowPlan::first_row(RowPlan::kSmallUnits) < 1u << 7);
  static_assert(RowPlan::first_row(kFewUnits) < 1u << 10);
  static_assert(RowPlan::kMaxRows < 1u << kCountPlanes);
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  const Bits zero = hn::Zero(tag);
  for (std::size_t column = 0; column < kLine / 8; column += lanes) {
    for (auto& plane : planes.count) hn::Store(zero, tag, plane + column);
    for (auto& plane : planes.sum) hn::Store(zero, tag, plane + column);
  }
  const std::size_t units = plan.units();
  const std::size_t chunk_units = lanes < kLine / 8 ? kChunkUnits : units;
  for (std::size_t first = 0; first < units;) {
    const bool small = first < RowPlan::kSmallUnits;
    const bool few = first < kFewUnits;
    const std::size_t limit = small ? RowPlan::kSmallUnits : few ? kFewUnits : units;
    const std::size_t last = std::min({units, limit, small ? limit : first + chunk_units});
    for (std::size_t column = 0; column < kLine / 8; column += lanes) {
      if (small) {
        CountUnits<3, 7>(plan, rows, first, last, planes, column);
      } else if (few) {
        CountUnits<5, 10>(plan, rows, first, last, planes, column);
      } else {
        CountUnits<5, kCountPlanes>(plan, rows, first, last, planes, column);
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
