// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/bitmap_score.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/detail/bitmap_score.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// No vectors here, but machines differ in how fast they count and find bits.
HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

/// The place of the lowest bit, 64 if there is none. std::countr_zero asks first whether there is
/// one, and here nobody could guess the answer.
HWY_INLINE std::uint32_t LowestBit(std::uint64_t bits) {
  return static_cast<std::uint32_t>(std::popcount(~bits & (bits - 1)));
}

/// The words of frame and query, written from `common` on; returns their end, behind which a few
/// more numbers may be overwritten.
HWY_INLINE std::uint32_t* CommonWords(const BitmapFrame& frame, const std::uint64_t* query_bits,
                                      std::uint32_t* common) {
  for (std::size_t at = 0; at < frame.bytes; at += 8) {
    std::uint64_t both = 0;
    std::memcpy(&both, frame.bits + at, 8);
    both &= query_bits[at / 8];
    const auto first = static_cast<std::uint32_t>(at * 8);
    const int count = std::popcount(both);
    // Four words are written whether or not they are there: that beats asking.
    for (int i = 0; i < 4; ++i, both &= both - 1) common[i] = first + LowestBit(both);
    for (int i = 4; i < count; ++i, both &= both - 1) common[i] = first + LowestBit(both);
    common += count;
  }
  return common;
}

/// The repetitions of words that the query has, as numbers from `common` on; returns their end.
HWY_INLINE std::uint32_t* CommonRepeats(const BitmapFrame& frame, const std::uint64_t* query_bits,
                                        std::uint32_t* common) {
  for (std::size_t i = 0; i < frame.repeated; ++i) {
    const std::uint8_t* repeat = frame.repeats + 3 * i;
    const std::uint32_t word = repeat[0] | std::uint32_t{repeat[1]} << 8;
    *common = word | std::uint32_t{repeat[2]} << 16;
    common += query_bits[word / 64] >> (word % 64) & 1;
  }
  return common;
}

/// All common words as if they occurred once, then what those that occur more often have above
/// that.
FixedWeight ScoreBitmap(const BitmapFrame& frame, const std::uint64_t* query_bits,
                        const FixedWeight* query_weights, const double* units,
                        std::uint32_t* common) {
  FixedWeight sum = 0;
  const std::uint32_t* end = CommonWords(frame, query_bits, common);
  for (const std::uint32_t* word = common; word != end; ++word) {
    sum += std::min(query_weights[*word], weight_of(1, units[*word], frame.factor));
  }
  end = CommonRepeats(frame, query_bits, common);
  for (const std::uint32_t* repeat = common; repeat != end; ++repeat) {
    const std::uint32_t word = *repeat & 0xFFFF;
    const FixedWeight asked = query_weights[word];
    sum += std::min(asked, weight_of((*repeat >> 16) + 2, units[word], frame.factor)) -
           std::min(asked, weight_of(1, units[word], frame.factor));
  }
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(ScoreBitmap);

FixedWeight score_bitmap(const BitmapFrame& frame, const std::uint64_t* query_bits,
                         const FixedWeight* query_weights, const double* units) {
  thread_local std::vector<std::uint32_t> common;
  if (common.size() < frame.bytes * 8 + 64) common.resize(frame.bytes * 8 + 64);
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(ScoreBitmap)(frame, query_bits, query_weights, units, common.data());
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
