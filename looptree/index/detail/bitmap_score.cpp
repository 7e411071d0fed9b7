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

// Mostly no vectors here, but machines differ in how fast they count and find bits.
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

/// All common words as if they occurred once.
FixedWeight ScoreOnce(const BitmapFrame& frame, const DenseQuery& query, std::uint32_t* common) {
  FixedWeight sum = 0;
  const std::uint32_t* end = CommonWords(frame, query.bits, common);
  for (const std::uint32_t* word = common; word != end; ++word) {
    sum += std::min(query.weights[*word], weight_of(1, query.units[*word], frame.factor));
  }
  return sum;
}

/// What words that occur more often have above that.
FixedWeight ScoreRepeats(const BitmapFrame& frame, const DenseQuery& query, std::uint32_t* common) {
  FixedWeight sum = 0;
  const std::uint32_t* end = CommonRepeats(frame, query.bits, common);
  for (const std::uint32_t* repeat = common; repeat != end; ++repeat) {
    const std::uint32_t word = *repeat & 0xFFFF;
    sum += gain_of((*repeat >> 16) + 2, query.units[word], frame.factor, query.weights[word]);
  }
  return sum;
}

// Bits are extracted fast by every machine with 512-bit vectors; of others, some take longer for
// that than for all the rest.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr bool kCompact = true;

/// weight_of(1, unit, factor) of eight lanes. 2^31, the weight of an image's only word, fits.
HWY_INLINE __m256i WeightsOnce(const double* units, __m512d factor) {
  const __m512d weight = _mm512_mul_pd(_mm512_loadu_pd(units), factor);
  return _mm512_cvttpd_epu32(_mm512_add_pd(weight, _mm512_set1_pd(0.5)));
}

FixedWeight ScoreOnceCompact(const BitmapFrame& frame, const std::uint64_t* query_bits,
                             const CompactQuery& query) {
  const __m512d factor = _mm512_set1_pd(frame.factor);
  __m512i sum = _mm512_setzero_si512();
  const FixedWeight* asked = query.weights();
  const double* units = query.units();
  for (const CompactQuery::Group& group : query.groups()) {
    std::uint64_t common = 0;
    for (std::uint32_t i = group.first; i < group.last; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, frame.bits + std::size_t{i} * 8, 8);
      common |= _pext_u64(bits, query_bits[i]) << query.shifts()[i];
    }
    for (int i = 0; i < 64; i += 16, asked += 16, units += 16, common >>= 16) {
      const __m512i once = _mm512_inserti64x4(_mm512_castsi256_si512(WeightsOnce(units, factor)),
                                              WeightsOnce(units + 8, factor), 1);
      const auto lanes = static_cast<__mmask16>(common);
      const __m512i least = _mm512_min_epu32(_mm512_loadu_si512(asked), once);
      sum = _mm512_mask_add_epi32(sum, lanes, sum, least);
    }
  }
  return static_cast<FixedWeight>(_mm512_reduce_add_epi32(sum));
}
#else
constexpr bool kCompact = false;

FixedWeight ScoreOnceCompact(const BitmapFrame&, const std::uint64_t*, const CompactQuery&) {
  return 0;
}
#endif

bool CompactPays() {
  return kCompact;
}

FixedWeight ScoreBitmap(const BitmapFrame& frame, const DenseQuery& query,
                        const CompactQuery* compact, std::uint32_t* common) {
  const FixedWeight once = kCompact && compact != nullptr
                               ? ScoreOnceCompact(frame, query.bits, *compact)
                               : ScoreOnce(frame, query, common);
  return once + ScoreRepeats(frame, query, common);
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(CompactPays);
HWY_EXPORT(ScoreBitmap);

CompactQuery::CompactQuery(const Terms& query, const DenseQuery& dense, std::size_t vocabulary_size)
    : shifts_((vocabulary_size + 63) / 64, 0) {
  constexpr std::uint32_t kLanes = 64;
  std::size_t term = 0;
  std::uint32_t used = kLanes;
  for (std::uint32_t word = 0; word < shifts_.size(); ++word) {
    const auto count = static_cast<std::uint32_t>(std::popcount(dense.bits[word]));
    if (count == 0) continue;  // extracts nothing, whatever its shift
    if (used + count > kLanes) {
      groups_.push_back({word, word});
      weights_.resize(groups_.size() * kLanes, 0);
      units_.resize(groups_.size() * kLanes, 0);
      used = 0;
    }
    shifts_[word] = static_cast<std::uint8_t>(used);
    const std::size_t lane = (groups_.size() - 1) * kLanes + used;
    for (std::uint32_t i = 0; i < count; ++i, ++term) {
      weights_[lane + i] = query.weights[term];
      units_[lane + i] = dense.units[query.words[term]];
    }
    used += count;
    groups_.back().last = word + 1;
  }
}

bool compact_pays() {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(CompactPays)();
}

FixedWeight score_bitmap(const BitmapFrame& frame, const DenseQuery& query,
                         const CompactQuery* compact) {
  thread_local std::vector<std::uint32_t> common;
  if (common.size() < frame.bytes * 8 + 64) common.resize(frame.bytes * 8 + 64);
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(ScoreBitmap)(frame, query, compact, common.data());
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
