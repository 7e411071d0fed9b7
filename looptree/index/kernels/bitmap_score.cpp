// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/kernels/bitmap_score.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "looptree/index/core/weights.hpp"
#include "looptree/index/kernels/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/kernels/bitmap_score.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Mostly no vectors here, but machines differ in how fast they count and find bits.
HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

/// The place of the lowest bit, 64 if there is none. std::countr_zero asks first whether there is
/// one, a branch that could not be predicted here.
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

/// The repeated words that the query has, as word + (tf - 2) x 2^16 from `common` on; returns their
/// end, behind which one more number may be overwritten.
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

/// Numbers that CommonWords() or CommonRepeats() have written.
struct Common {
  const std::uint32_t* begin;
  const std::uint32_t* end;
};

/// All common words as if they occurred once.
HWY_INLINE FixedWeight SumOnce(const Common& words, double factor, const DenseQuery& query) {
  FixedWeight sum = 0;
  for (const std::uint32_t* word = words.begin; word != words.end; ++word) {
    sum += std::min(query.weights[*word], weight_of(1, query.idf[*word], factor));
  }
  return sum;
}

/// What repeated words add above that.
HWY_INLINE FixedWeight SumSurplus(const Common& repeats, double factor, const DenseQuery& query) {
  FixedWeight sum = 0;
  for (const std::uint32_t* repeat = repeats.begin; repeat != repeats.end; ++repeat) {
    const std::uint32_t word = *repeat & 0xFFFF;
    sum += surplus_of((*repeat >> 16) + 2, query.idf[word], factor, query.weights[word]);
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
#if HWY_TARGET <= HWY_AVX3
/// weight_of() of eight lanes, of tf x idf. 2^31, the weight of an image's only
/// word, fits.
HWY_INLINE __m256i Weights(__m512d tf_idf, __m512d factor) {
  const __m512d weight = _mm512_mul_pd(tf_idf, factor);
  return _mm512_cvttpd_epu32(_mm512_add_pd(weight, _mm512_set1_pd(0.5)));
}

struct LaneSum {
  static constexpr int kLanes = 16;
  explicit LaneSum(double frame_factor) : factor(_mm512_set1_pd(frame_factor)) {}

  HWY_INLINE void Add(const FixedWeight* asked, const double* idf, std::uint64_t bits) {
    const __m256i low = Weights(_mm512_loadu_pd(idf), factor);
    const __m256i high = Weights(_mm512_loadu_pd(idf + 8), factor);
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
#elif HWY_TARGET <= HWY_AVX2
/// weight_of() of four lanes, of tf x idf. 2^31, the weight of an image's only word,
/// is what the conversion gives for all that does not fit.
HWY_INLINE __m128i Weights(__m256d tf_idf, __m256d factor) {
  const __m256d weight = _mm256_mul_pd(tf_idf, factor);
  return _mm256_cvttpd_epi32(_mm256_add_pd(weight, _mm256_set1_pd(0.5)));
}

struct LaneSum {
  static constexpr int kLanes = 8;
  explicit LaneSum(double frame_factor) : factor(_mm256_set1_pd(frame_factor)) {}

  HWY_INLINE void Add(const FixedWeight* asked, const double* idf, std::uint64_t bits) {
    const __m128i low = Weights(_mm256_loadu_pd(idf), factor);
    const __m128i high = Weights(_mm256_loadu_pd(idf + 4), factor);
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

#if HWY_TARGET <= HWY_AVX2
/// Every machine with 512-bit vectors extracts bits fast; of others, some take longer for that than
/// for all the rest.
bool CompactPays() {
  return HWY_TARGET <= HWY_AVX3 || extracts_bits_fast();
}

FixedWeight ScoreOnceCompact(const BitmapFrame& frame, const std::uint64_t* query_bits,
                             const CompactQuery& query) {
  LaneSum sum(frame.factor);
  const FixedWeight* asked = query.weights();
  const double* idf = query.idf();
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
      sum.Add(asked, idf, common);
      asked += LaneSum::kLanes;
      idf += LaneSum::kLanes;
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

FixedWeight ScoreOnce(const BitmapFrame& frame, const DenseQuery& query,
                      const CompactQuery* compact, std::uint32_t* memory) {
  if (compact != nullptr) return ScoreOnceCompact(frame, query.bits, *compact);
  return SumOnce({memory, CommonWords(frame, query.bits, memory)}, frame.factor, query);
}

FixedWeight ScoreBitmap(const BitmapFrame& frame, const DenseQuery& query,
                        const CompactQuery* compact, std::uint32_t* memory) {
  const FixedWeight once = ScoreOnce(frame, query, compact, memory);
  const Common repeats{memory, CommonRepeats(frame, query.bits, memory)};
  return once + SumSurplus(repeats, frame.factor, query);
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(CompactPays);
HWY_EXPORT(MakeGroups);
HWY_EXPORT(ScoreBitmap);

CompactQuery::CompactQuery(const FixedView& query, const DenseQuery& dense,
                           std::size_t vocabulary_size, Workspace& workspace)
    : groups_(scratch<Group>(workspace)),
      shifts_(scratch<std::uint8_t>(workspace)),
      weights_(scratch<FixedWeight>(workspace)),
      idf_(scratch<double>(workspace)) {
  const std::size_t words = (vocabulary_size + 63) / 64;
  shifts_.resize(words);
  HWY_DYNAMIC_DISPATCH(MakeGroups)({dense.bits, words}, groups_, shifts_.data());
  const std::size_t lanes = groups_.size() * kLanes;
  weights_.resize(lanes);
  idf_.resize(lanes);
  std::copy(query.weights.begin(), query.weights.end(), weights_.begin());
  for (std::size_t i = 0; i < query.size(); ++i) idf_[i] = dense.idf[query.words[i]];
  const auto used = static_cast<std::ptrdiff_t>(query.size());
  std::fill(weights_.begin() + used, weights_.end(), FixedWeight{0});
  std::fill(idf_.begin() + used, idf_.end(), 0.0);
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

FixedWeight score_bitmap(const BitmapFrame& frame, const DenseQuery& query,
                         const CompactQuery* compact, Workspace& workspace) {
  // For as many words as the frame may have, and some more.
  std::uint32_t* const memory = workspace.numbers(frame.bytes * 8 + 64);
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(ScoreBitmap)(frame, query, compact, memory);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
