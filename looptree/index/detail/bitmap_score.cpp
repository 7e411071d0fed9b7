// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/bitmap_score.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
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

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
/// Sixteen at a time as far as there are two more, since some bytes behind them are read, too;
/// those that the query has are written from `common` on, and both are moved behind.
HWY_INLINE std::size_t ManyRepeats(const BitmapFrame& frame, const std::uint64_t* query_bits,
                                   std::uint32_t*& common) {
  const __m512i spread =
      _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
  std::size_t i = 0;
  for (; i + 18 <= frame.repeated; i += 16) {
    const std::uint8_t* repeat = frame.repeats + 3 * i;
    const auto four = [&](int at) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(repeat + at));
    };
    __m512i bytes = _mm512_castsi128_si512(four(0));
    bytes = _mm512_inserti32x4(bytes, four(12), 1);
    bytes = _mm512_inserti32x4(bytes, four(24), 2);
    bytes = _mm512_inserti32x4(bytes, four(36), 3);
    const __m512i repeats = _mm512_shuffle_epi8(bytes, spread);
    const __m512i word = _mm512_and_si512(repeats, _mm512_set1_epi32(0xFFFF));
    const __m512i asked = _mm512_i32gather_epi32(_mm512_srli_epi32(word, 5), query_bits, 4);
    const __m512i bit =
        _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(word, _mm512_set1_epi32(31)));
    const __mmask16 has = _mm512_test_epi32_mask(asked, bit);
    _mm512_storeu_si512(common, _mm512_maskz_compress_epi32(has, repeats));
    common += std::popcount(static_cast<std::uint16_t>(has));
  }
  return i;
}
#else
HWY_INLINE std::size_t ManyRepeats(const BitmapFrame&, const std::uint64_t*, std::uint32_t*&) {
  return 0;
}
#endif

/// The repetitions of words that the query has, as numbers from `common` on; returns their end,
/// behind which a few more numbers may be overwritten.
HWY_INLINE std::uint32_t* CommonRepeats(const BitmapFrame& frame, const std::uint64_t* query_bits,
                                        std::uint32_t* common) {
  for (std::size_t i = ManyRepeats(frame, query_bits, common); i < frame.repeated; ++i) {
    const std::uint8_t* repeat = frame.repeats + 3 * i;
    const std::uint32_t word = repeat[0] | std::uint32_t{repeat[1]} << 8;
    *common = word | std::uint32_t{repeat[2]} << 16;
    common += query_bits[word / 64] >> (word % 64) & 1;
  }
  return common;
}

/// Numbers that CommonWords() or CommonRepeats() have written.
struct Common {
  const std::uint32_t* begin;
  const std::uint32_t* end;
};

/// All common words as if they occurred once.
HWY_INLINE FixedWeight SumOnce(const Common& words, double factor, const DenseQuery& query) {
  FixedWeight sum = 0;
  for (const std::uint32_t* word = words.begin; word != words.end; ++word) {
    sum += std::min(query.weights[*word], weight_of(1, query.units[*word], factor));
  }
  return sum;
}

/// What a word that occurs more often adds above that.
struct Gain {
  static FixedWeight Of(std::uint32_t count, double unit, double factor, FixedWeight asked) {
    return gain_of(count, unit, factor, asked);
  }
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  static HWY_INLINE __m256i Of(__m256i asked, __m256i once, __m256i all) {
    return _mm256_sub_epi32(_mm256_min_epu32(asked, all), _mm256_min_epu32(asked, once));
  }
#endif
};

/// What it lacks all the same to as much as the query has of it.
struct Lack {
  static FixedWeight Of(std::uint32_t count, double unit, double factor, FixedWeight asked) {
    return asked - std::min(asked, weight_of(count, unit, factor));
  }
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  static HWY_INLINE __m256i Of(__m256i asked, __m256i /*once*/, __m256i all) {
    return _mm256_sub_epi32(asked, _mm256_min_epu32(asked, all));
  }
#endif
};

/// The sum of either, word by word.
template <class Term>
HWY_INLINE FixedWeight SumOneByOne(const Common& repeats, double factor, const DenseQuery& query) {
  FixedWeight sum = 0;
  for (const std::uint32_t* repeat = repeats.begin; repeat != repeats.end; ++repeat) {
    const std::uint32_t word = *repeat & 0xFFFF;
    sum += Term::Of((*repeat >> 16) + 2, query.units[word], factor, query.weights[word]);
  }
  return sum;
}

/// Which words of the bitmap have the bits of every 64 lanes.
void MakeGroups(std::span<const std::uint64_t> bits, ScratchVector<CompactQuery::Group>& groups,
                std::uint8_t* shifts) {
  constexpr std::uint32_t kLanes = CompactQuery::kLanes;
  std::uint32_t lane = 0;
  groups.push_back({0, 0, 0});
  for (std::uint32_t word = 0; word < bits.size(); ++word) {
    shifts[word] = static_cast<std::uint8_t>(lane % kLanes);
    const auto end = static_cast<std::uint32_t>(groups.size()) * kLanes;
    const std::uint32_t before = end - lane;
    lane += static_cast<std::uint32_t>(std::popcount(bits[word]));
    if (lane <= end) continue;
    // Its last bits begin the next group, or all of them.
    groups.back().last = before > 0 ? word + 1 : word;
    groups.push_back({word, 0, before});
  }
  groups.back().last = static_cast<std::uint32_t>(bits.size());
}

// A LaneSum adds up what words side by side weigh, those of them whose bits are set.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
/// weight_of() of eight lanes, of units times occurrences. 2^31, the weight of an image's only
/// word, fits.
HWY_INLINE __m256i Weights(__m512d units, __m512d factor) {
  const __m512d weight = _mm512_mul_pd(units, factor);
  return _mm512_cvttpd_epu32(_mm512_add_pd(weight, _mm512_set1_pd(0.5)));
}

struct LaneSum {
  static constexpr int kLanes = 16;
  explicit LaneSum(double frame_factor) : factor(_mm512_set1_pd(frame_factor)) {}

  HWY_INLINE void Add(const FixedWeight* asked, const double* units, std::uint64_t bits) {
    const __m256i low = Weights(_mm512_loadu_pd(units), factor);
    const __m256i high = Weights(_mm512_loadu_pd(units + 8), factor);
    const __m512i once = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    const __m512i least = _mm512_min_epu32(_mm512_loadu_si512(asked), once);
    sum = _mm512_mask_add_epi32(sum, static_cast<__mmask16>(bits), sum, least);
  }
  HWY_INLINE FixedWeight Total() const {
    return static_cast<FixedWeight>(_mm512_reduce_add_epi32(sum));
  }

  __m512d factor;
  __m512i sum = _mm512_setzero_si512();
};
#elif HWY_TARGET == HWY_AVX2
/// weight_of() of four lanes, of units times occurrences. 2^31, the weight of an image's only word,
/// is what the conversion gives for all that does not fit.
HWY_INLINE __m128i Weights(__m256d units, __m256d factor) {
  const __m256d weight = _mm256_mul_pd(units, factor);
  return _mm256_cvttpd_epi32(_mm256_add_pd(weight, _mm256_set1_pd(0.5)));
}

struct LaneSum {
  static constexpr int kLanes = 8;
  explicit LaneSum(double frame_factor) : factor(_mm256_set1_pd(frame_factor)) {}

  HWY_INLINE void Add(const FixedWeight* asked, const double* units, std::uint64_t bits) {
    const __m128i low = Weights(_mm256_loadu_pd(units), factor);
    const __m128i high = Weights(_mm256_loadu_pd(units + 4), factor);
    const __m256i once = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    const __m256i least =
        _mm256_min_epu32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(asked)), once);
    const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i set = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), lane);
    sum = _mm256_add_epi32(sum, _mm256_and_si256(_mm256_cmpeq_epi32(set, lane), least));
  }
  HWY_INLINE FixedWeight Total() const {
    alignas(32) FixedWeight lanes[kLanes];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sum);
    return std::accumulate(lanes, lanes + kLanes, FixedWeight{0});
  }

  __m256d factor;
  __m256i sum = _mm256_setzero_si256();
};
#endif

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
/// Every machine with 512-bit vectors extracts bits fast; of others, some take longer for that than
/// for all the rest.
bool CompactPays() {
  return HWY_TARGET != HWY_AVX2 || extracts_bits_fast();
}

FixedWeight ScoreOnceCompact(const BitmapFrame& frame, const std::uint64_t* query_bits,
                             const CompactQuery& query) {
  LaneSum sum(frame.factor);
  const FixedWeight* asked = query.weights();
  const double* units = query.units();
  for (const CompactQuery::Group& group : query.groups()) {
    const auto extract = [&](std::uint32_t word) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, frame.bits + std::size_t{word} * 8, 8);
      return _pext_u64(bits, query_bits[word]);
    };
    std::uint64_t common = extract(group.first) >> group.skipped;
    for (std::uint32_t i = group.first + 1; i < group.last; ++i) {
      common |= extract(i) << query.shifts()[i];
    }
    for (int i = 0; i < 64; i += LaneSum::kLanes) {
      sum.Add(asked, units, common);
      asked += LaneSum::kLanes;
      units += LaneSum::kLanes;
      common >>= LaneSum::kLanes;
    }
  }
  return sum.Total();
}
#else
bool CompactPays() {
  return false;
}

FixedWeight ScoreOnceCompact(const BitmapFrame&, const std::uint64_t*, const CompactQuery&) {
  return 0;  // never asked for
}
#endif

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
/// Likewise, eight at a time.
template <class Term>
HWY_INLINE FixedWeight SumRepeats(Common repeats, double factor, const DenseQuery& query) {
  const __m512d factors = _mm512_set1_pd(factor);
  __m256i sum = _mm256_setzero_si256();
  for (; repeats.end - repeats.begin >= 8; repeats.begin += 8) {
    const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(repeats.begin));
    const __m256i word = _mm256_and_si256(both, _mm256_set1_epi32(0xFFFF));
    const __m256i count = _mm256_add_epi32(_mm256_srli_epi32(both, 16), _mm256_set1_epi32(2));
    const __m256i asked =
        _mm256_i32gather_epi32(reinterpret_cast<const int*>(query.weights), word, 4);
    const __m512d units = _mm512_i32gather_pd(word, query.units, 8);
    const __m256i all = Weights(_mm512_mul_pd(_mm512_cvtepi32_pd(count), units), factors);
    sum = _mm256_add_epi32(sum, Term::Of(asked, Weights(units, factors), all));
  }
  const int total = _mm512_reduce_add_epi32(_mm512_zextsi256_si512(sum));
  return static_cast<FixedWeight>(total) + SumOneByOne<Term>(repeats, factor, query);
}
#else
template <class Term>
HWY_INLINE FixedWeight SumRepeats(const Common& repeats, double factor, const DenseQuery& query) {
  return SumOneByOne<Term>(repeats, factor, query);
}
#endif

FixedWeight ScoreOnce(const BitmapFrame& frame, const DenseQuery& query,
                      const CompactQuery* compact, std::uint32_t* memory) {
  if (compact != nullptr) return ScoreOnceCompact(frame, query.bits, *compact);
  return SumOnce({memory, CommonWords(frame, query.bits, memory)}, frame.factor, query);
}

FixedWeight ScoreBitmap(const BitmapFrame& frame, const DenseQuery& query,
                        const CompactQuery* compact, std::uint32_t* memory) {
  const FixedWeight once = ScoreOnce(frame, query, compact, memory);
  const Common repeats{memory, CommonRepeats(frame, query.bits, memory)};
  return once + SumRepeats<Gain>(repeats, frame.factor, query);
}

FixedWeight LackOfRepeats(const BitmapFrame& frame, const DenseQuery& query,
                          std::uint32_t* memory) {
  const Common repeats{memory, CommonRepeats(frame, query.bits, memory)};
  return SumRepeats<Lack>(repeats, frame.factor, query);
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(CompactPays);
HWY_EXPORT(MakeGroups);
HWY_EXPORT(ScoreBitmap);
HWY_EXPORT(LackOfRepeats);

CompactQuery::CompactQuery(const Terms& query, const DenseQuery& dense,
                           std::size_t vocabulary_size) {
  const std::size_t words = (vocabulary_size + 63) / 64;
  shifts_.resize(words);
  HWY_DYNAMIC_DISPATCH(MakeGroups)({dense.bits, words}, groups_, shifts_.data());
  const std::size_t lanes = groups_.size() * kLanes;
  weights_.resize(lanes);
  units_.resize(lanes);
  std::copy(query.weights.begin(), query.weights.end(), weights_.begin());
  for (std::size_t i = 0; i < query.size(); ++i) units_[i] = dense.units[query.words[i]];
  const auto used = static_cast<std::ptrdiff_t>(query.size());
  std::fill(weights_.begin() + used, weights_.end(), FixedWeight{0});
  std::fill(units_.begin() + used, units_.end(), 0.0);
}

bool extracts_bits_fast() {
#if HWY_ARCH_X86
  __builtin_cpu_init();
  return __builtin_cpu_is("amdfam15h") == 0 && __builtin_cpu_is("znver1") == 0 &&
         __builtin_cpu_is("znver2") == 0;
#else
  return false;
#endif
}

bool compact_pays() {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(CompactPays)();
}

namespace {

/// For as many words as the frame may have, and some more.
std::uint32_t* memory_for(const BitmapFrame& frame) {
  thread_local std::vector<std::uint32_t> words;
  if (words.size() < frame.bytes * 8 + 64) words.resize(frame.bytes * 8 + 64);
  return words.data();
}

}  // namespace

FixedWeight score_bitmap(const BitmapFrame& frame, const DenseQuery& query,
                         const CompactQuery* compact) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(ScoreBitmap)(frame, query, compact, memory_for(frame));
}

FixedWeight lack_of_repeats(const BitmapFrame& frame, const DenseQuery& query) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(LackOfRepeats)(frame, query, memory_for(frame));
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
