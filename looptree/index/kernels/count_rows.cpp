// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/kernels/count_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/kernels/count_rows.cpp"
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
constexpr std::size_t kSumPlanes = BlockSums::kPlanes;
/// Rows between the prefetch of a line and its use: few where a cache has it, and the nearest cache
/// has room for it.
constexpr std::size_t kAheadRows = 48;
/// Where lines come from memory they are fetched twice, into the second cache: long before, and
/// once more, since processors drop requests when too many are under way.
constexpr std::size_t kFarRows = RowPlan::kRepeatedRows;
constexpr std::size_t kAgainRows = 96;
/// Rows after which narrower machines go on to the next column: they should still lie in the
/// level-1 cache when the next column reads them.
constexpr std::size_t kChunkRows = 256;

/// The carry-save adder: adds three planes of one weight, of which the sum keeps the weight and the
/// carry has twice of it. Where there is no instruction for three planes, both share the difference
/// of the first two, so the plane that is waited for comes last.
#if HWY_TARGET <= HWY_AVX3
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
struct Planes {
  explicit Planes(BlockSums& block_sums) : sums(block_sums) {}

  BlockSums& sums;
  alignas(kLine) std::uint64_t count[kCountPlanes][kLine / 8];
};

/// Fetches lines that are to be counted later: behind the last row of this block come the first
/// ones of the next.
class Prefetcher {
 public:
  Prefetcher(const RowPlan& plan, const BlockRows& blocks)
      : rows_(plan.rows.data()),
        size_(plan.first_row(plan.batches())),
        far_(blocks.far),
        block_(blocks.block),
        next_(blocks.next != nullptr ? blocks.next : blocks.block) {}

  /// When eight rows are counted, from row `row` on.
  HWY_INLINE void operator()(std::size_t row) const {
    if (!far_) {
      const std::uint8_t* block = block_of(row + kAheadRows);
      const std::uint32_t* wanted = rows_ + row + kAheadRows;
      for (std::size_t i = 0; i < 8; ++i) __builtin_prefetch(block + wanted[i], 0, 3);
      return;
    }
    for (const std::size_t at : {row + kFarRows, row + kAgainRows}) {
      const std::uint8_t* block = block_of(at);
      for (std::size_t i = 0; i < 8; ++i) __builtin_prefetch(block + rows_[at + i], 0, 2);
    }
  }

 private:
  HWY_INLINE const std::uint8_t* block_of(std::size_t row) const {
    return row < size_ ? block_ : next_;
  }

  const std::uint32_t* rows_;
  std::size_t size_;
  bool far_;
  const std::uint8_t* block_;
  const std::uint8_t* next_;
};

/// The rows of one batch, in one column.
struct BatchRows {
  const std::uint8_t* base;
  const std::uint32_t* rows;
  std::size_t first;             ///< of the plan's
  const Prefetcher* prefetcher;  ///< null in columns whose lines another one fetches

  HWY_INLINE Bits operator[](std::size_t i) const { return LoadLine(base + rows[first + i]); }
};

/// A tree of carry-save adders (Harley and Seal's population count, over rows instead of words):
/// 2^kLog rows from `at` on into the kLog lowest planes; what comes out weighs 2^kLog.
template <std::size_t kLog, std::size_t kPlanes>
HWY_INLINE Bits AddRows(const BatchRows& rows, std::size_t at, Bits (&count)[kPlanes]) {
  constexpr std::size_t kHalf = std::size_t{1} << (kLog - 1);
  if constexpr (kLog == 1) {
    return AddTwo(rows[at], rows[at + kHalf], count[0]);
  } else {
    if constexpr (kLog == 3) {
      if (rows.prefetcher != nullptr) (*rows.prefetcher)(rows.first + at);
    }
    const Bits a = AddRows<kLog - 1>(rows, at, count);
    return AddTwo(a, AddRows<kLog - 1>(rows, at + kHalf, count), count[kLog - 1]);
  }
}

/// A batch of 2^kLog rows into the planes of a count that stays below 2^kPlanes.
template <std::size_t kLog, std::size_t kPlanes>
HWY_INLINE void AddBatch(const BatchRows& rows, Bits (&count)[kPlanes]) {
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
HWY_INLINE void AddShifted(const Bits (&count)[kPlanes], Bits (&sum)[kSumPlanes]) {
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
HWY_INLINE void AddMultiple(const Bits (&count)[kPlanes], std::uint32_t factor,
                            Bits (&sum)[kSumPlanes]) {
  static_assert(RowPlan::kMaxImpact < 256, "a case per bit");
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

/// Batches [first, last) in one column.
template <std::size_t kLog, std::size_t kPlanes>
HWY_NOINLINE void CountBatches(const RowPlan& plan, const BlockRows& blocks, std::size_t first,
                               std::size_t last, Planes& planes, std::size_t column) {
  const Tag tag;
  Bits count[kPlanes];
  LOOPTREE_UNROLL
  for (std::size_t i = 0; i < kPlanes; ++i) count[i] = hn::Load(tag, planes.count[i] + column);
  Bits sum[kSumPlanes];
  LOOPTREE_UNROLL
  for (std::size_t i = 0; i < kSumPlanes; ++i)
    sum[i] = hn::Load(tag, planes.sums.planes[i] + column);
  const Prefetcher prefetcher(plan, blocks);
  BatchRows rows{blocks.block + column * 8, plan.rows.data(), 0,
                 column == 0 ? &prefetcher : nullptr};
  for (std::size_t b = first; b < last; ++b) {
    rows.first = plan.first_row(b);
    AddBatch<kLog>(rows, count);
    AddMultiple(count, plan.fall(b), sum);
  }
  LOOPTREE_UNROLL
  for (std::size_t i = 0; i < kPlanes; ++i) hn::Store(count[i], tag, planes.count[i] + column);
  LOOPTREE_UNROLL
  for (std::size_t i = 0; i < kSumPlanes; ++i)
    hn::Store(sum[i], tag, planes.sums.planes[i] + column);
}

/// Batches with as many bit planes as counts up to the last of them need.
struct Stretch {
  std::size_t last;  ///< the batch behind it
  void (*count)(const RowPlan&, const BlockRows&, std::size_t, std::size_t, Planes&, std::size_t);
};

/// The batches whose rows are counted in kPlanes bit planes.
template <std::size_t kPlanes, RowPlan::Grain kGrain>
constexpr std::size_t BatchesBelow() {
  constexpr std::size_t kBatches =
      RowPlan::batches_of((1u << kPlanes) - RowPlan::batch_rows(kGrain), kGrain);
  static_assert(RowPlan::first_row(kBatches, kGrain) < 1u << kPlanes);
  return kBatches;
}

template <RowPlan::Grain kGrain>
constexpr std::array<Stretch, 4> Stretches() {
  constexpr std::size_t kLog = std::countr_zero(RowPlan::batch_rows(kGrain));
  static_assert(RowPlan::kSmallBatch == 1u << 3 && RowPlan::batch_rows(kGrain) == 1u << kLog);
  static_assert(RowPlan::kSmallRows < 1u << 7);
  static_assert(RowPlan::first_row(BatchesBelow<kCountPlanes, kGrain>(), kGrain) >=
                RowPlan::kMaxRows);
  return {{{RowPlan::kSmallBatches, CountBatches<3, 7>},
           {BatchesBelow<10, kGrain>(), CountBatches<kLog, 10>},
           {BatchesBelow<11, kGrain>(), CountBatches<kLog, 11>},
           {BatchesBelow<kCountPlanes, kGrain>(), CountBatches<kLog, kCountPlanes>}}};
}

/// The batch behind those from `first` on that make a chunk.
std::size_t ChunkEnd(const RowPlan& plan, std::size_t first) {
  return RowPlan::batches_of(plan.first_row(first) + kChunkRows, plan.grain);
}

/// All batches of the plan.
void CountRows(const RowPlan& plan, const BlockRows& rows, BlockSums& sums) {
  static constexpr std::array<Stretch, 4> kCoarse = Stretches<RowPlan::Grain::coarse>();
  static constexpr std::array<Stretch, 4> kFine = Stretches<RowPlan::Grain::fine>();
  const bool fine = plan.grain == RowPlan::Grain::fine;
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  const Bits zero = hn::Zero(tag);
  Planes planes(sums);
  for (std::size_t column = 0; column < kLine / 8; column += lanes) {
    for (auto& plane : planes.count) hn::Store(zero, tag, plane + column);
    for (auto& plane : sums.planes) hn::Store(zero, tag, plane + column);
  }
  std::size_t first = 0;
  for (const Stretch& stretch : fine ? kFine : kCoarse) {
    const std::size_t end = std::min(plan.batches(), stretch.last);
    while (first < end) {
      const std::size_t last = std::min(end, lanes == kLine / 8 ? end : ChunkEnd(plan, first));
      for (std::size_t column = 0; column < kLine / 8; column += lanes) {
        stretch.count(plan, rows, first, last, planes, column);
      }
      first = last;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(CountRows);

BlockSums::BlockSums(const RowPlan& plan, const BlockRows& rows) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(CountRows)(plan, rows, *this);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
