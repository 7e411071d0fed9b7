// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/kernels/node_levels.hpp"

#include <cstddef>

#include "looptree/index/kernels/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/kernels/node_levels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void AddLevels(const std::vector<LevelRow>& rows, const BlockRows& blocks, std::uint16_t* sums) {
  for (std::size_t node = 0; node < kBlockNodes; ++node) {
    std::uint32_t sum = sums[node];
    for (const LevelRow& row : rows) {
      const std::uint8_t level = blocks.block[row.row + node];
      sum += level < row.level ? level : row.level;
      if (level == kOpenLevel) sum += row.more;
      sum = sum < 0xFFFF ? sum : 0xFFFF;
    }
    sums[node] = static_cast<std::uint16_t>(sum);
  }
}

#else

using ByteTag = hn::CappedTag<std::uint8_t, kBlockNodes>;
using WideTag = hn::Repartition<std::uint16_t, ByteTag>;

/// Rows between a prefetch and the use of its line; those between, where it is asked for twice.
constexpr std::size_t kAhead = 64;
constexpr std::size_t kFar = 256;
constexpr std::size_t kAgain = 64;

/// Behind the last row of this block come the first of the next.
HWY_INLINE void PrefetchRow(const std::vector<LevelRow>& rows, const BlockRows& blocks,
                            std::size_t i) {
  if (i < rows.size()) {
    __builtin_prefetch(blocks.block + rows[i].row, 0, 2);
  } else if (blocks.next != nullptr && i < 2 * rows.size()) {
    __builtin_prefetch(blocks.next + rows[i - rows.size()].row, 0, 2);
  }
}

void AddLevels(const std::vector<LevelRow>& rows, const BlockRows& blocks, std::uint16_t* sums) {
  const ByteTag bytes;
  const WideTag wide;
  const auto low = hn::Set(wide, 0xFF);
  const auto one = hn::Set(wide, 1);
  const auto top = hn::Set(wide, 0x8000);
  const std::size_t lanes = hn::Lanes(bytes);
  for (std::size_t column = 0; column < kBlockNodes; column += lanes) {
    auto even = hn::Zero(wide);
    auto odd = hn::Zero(wide);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (column == 0) {
        PrefetchRow(rows, blocks, i + (blocks.far ? kFar : kAhead));
        if (blocks.far) PrefetchRow(rows, blocks, i + kAgain);
      }
      const auto row = hn::Load(bytes, blocks.block + rows[i].row + column);
      const auto both = hn::BitCast(wide, hn::Min(row, hn::Set(bytes, rows[i].level)));
      even = hn::SaturatedAdd(even, hn::And(both, low));
      odd = hn::SaturatedAdd(odd, hn::ShiftRight<8>(both));
      if (rows[i].more != 0) {
        const auto is_open = hn::Eq(row, hn::Set(bytes, static_cast<std::uint8_t>(kOpenLevel)));
        const auto open = hn::BitCast(wide, hn::VecFromMask(bytes, is_open));
        const auto more = hn::Set(wide, rows[i].more);
        even = hn::SaturatedAdd(even, hn::IfThenElseZero(hn::TestBit(open, one), more));
        odd = hn::SaturatedAdd(odd, hn::IfThenElseZero(hn::TestBit(open, top), more));
      }
    }
    alignas(64) std::uint16_t first[kBlockNodes / 2];
    alignas(64) std::uint16_t second[kBlockNodes / 2];
    hn::Store(even, wide, first);
    hn::Store(odd, wide, second);
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::uint32_t sum = sums[column + i] + (i % 2 == 0 ? first[i / 2] : second[i / 2]);
      sums[column + i] = static_cast<std::uint16_t>(sum < 0xFFFF ? sum : 0xFFFF);
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(AddLevels);

void add_levels(const std::vector<LevelRow>& rows, const BlockRows& blocks, std::uint16_t* sums) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(AddLevels)(rows, blocks, sums);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
