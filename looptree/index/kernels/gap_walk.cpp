// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/kernels/gap_walk.hpp"

#include "looptree/index/kernels/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/kernels/gap_walk.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

/// How far a walk has come.
struct GapWalk {
  const std::uint8_t* at;
  std::uint32_t left;
  std::uint32_t next;  ///< one more than the last word
  std::uint32_t* out;
};

HWY_INLINE void OneByOne(GapWalk& walk, std::uint32_t count, const std::uint64_t* bits) {
  walk.left -= count;
  for (; count > 0; --count, ++walk.next) {
    walk.next += next_gap(walk.at);
    // Written whether or not it is wanted: that beats asking.
    *walk.out = walk.next;
    walk.out += bit_of(bits, walk.next);
  }
}

#if HWY_TARGET <= HWY_AVX3
constexpr std::uint32_t kAtOnce = 16;

/// v, kLanes lanes higher.
template <int kLanes>
HWY_INLINE __m512i ShiftUp(__m512i v) {
  return _mm512_alignr_epi32(v, _mm512_setzero_si512(), 16 - kLanes);
}

/// A piece of the bits that sixteen words mostly lie in, as 32-bit lanes. Reading them from
/// registers takes half as long as gathering them from the cache.
constexpr std::uint32_t kWindow = 64;

/// For each word, which lies at or behind `first`, the 32 bits that hold its own.
HWY_INLINE __m512i BitsOf(__m512i words, std::uint32_t first, const std::uint64_t* bits) {
  const __m512i lanes =
      _mm512_srli_epi32(_mm512_and_si512(words, _mm512_set1_epi32(kGapBits - 1)), 5);
  const std::uint32_t begin = first % kGapBits / 32;
  const __m512i within = _mm512_sub_epi32(lanes, _mm512_set1_epi32(static_cast<int>(begin)));
  const bool inside = begin + kWindow <= kGapBits / 32 &&
                      _mm512_cmpge_epu32_mask(within, _mm512_set1_epi32(kWindow)) == 0;
  if (!inside) [[unlikely]]
    return _mm512_i32gather_epi32(lanes, bits, 4);
  const auto* window = reinterpret_cast<const std::uint32_t*>(bits) + begin;
  const __m512i low = _mm512_permutex2var_epi32(_mm512_loadu_si512(window), within,
                                                _mm512_loadu_si512(window + 16));
  const __m512i high = _mm512_permutex2var_epi32(_mm512_loadu_si512(window + 32), within,
                                                 _mm512_loadu_si512(window + 48));
  return _mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(within, _mm512_set1_epi32(32)), high);
}

/// Sixteen words, unless one of their gaps is long.
HWY_INLINE bool Sixteen(GapWalk& walk, const std::uint64_t* bits) {
  const __m256i gaps = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(walk.at));
  if (_mm256_cmpeq_epi16_mask(gaps, _mm256_set1_epi16(-1)) != 0) return false;
  const __m512i one = _mm512_set1_epi32(1);
  __m512i sum = _mm512_add_epi32(_mm512_cvtepu16_epi32(gaps), one);
  sum = _mm512_add_epi32(sum, ShiftUp<1>(sum));
  sum = _mm512_add_epi32(sum, ShiftUp<2>(sum));
  sum = _mm512_add_epi32(sum, ShiftUp<4>(sum));
  sum = _mm512_add_epi32(sum, ShiftUp<8>(sum));
  const auto before = static_cast<int>(walk.next - 1);
  const __m512i words = _mm512_add_epi32(sum, _mm512_set1_epi32(before));
  const __m512i found = BitsOf(words, walk.next, bits);
  const __m512i place = _mm512_sllv_epi32(one, _mm512_and_si512(words, _mm512_set1_epi32(31)));
  const __mmask16 wanted = _mm512_test_epi32_mask(found, place);
  _mm512_storeu_si512(walk.out, _mm512_maskz_compress_epi32(wanted, words));
  walk.out += __builtin_popcount(wanted);
  walk.at += 2 * kAtOnce;
  walk.left -= kAtOnce;
  const __m128i top = _mm512_extracti32x4_epi32(words, 3);
  walk.next = static_cast<std::uint32_t>(_mm_extract_epi32(top, 3)) + 1;
  return true;
}

HWY_INLINE void Many(GapWalk& walk, const std::uint64_t* bits) {
  while (walk.left >= kAtOnce) {
    if (!Sixteen(walk, bits)) OneByOne(walk, kAtOnce, bits);
  }
}
#else
HWY_INLINE void Many(GapWalk&, const std::uint64_t*) {}
#endif

std::size_t WordsIn(const GapList& list, const std::uint64_t* bits, std::uint32_t* words) {
  GapWalk walk{list.gaps, list.words, 0, words};
  Many(walk, bits);
  OneByOne(walk, walk.left, bits);
  return static_cast<std::size_t>(walk.out - words);
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(WordsIn);

std::size_t words_in(const GapList& list, const std::uint64_t* bits, std::uint32_t* words) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(WordsIn)(list, bits, words);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
