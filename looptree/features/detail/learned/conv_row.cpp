// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/learned/conv_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/features/detail/learned/conv_row.cpp"
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

// Which way four products and a sum are made. Highway gives better targets lower numbers.
#undef LOOPTREE_DOT
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
#define LOOPTREE_DOT 512  // dpbusd
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
#define LOOPTREE_DOT 16  // maddubs and madd
#elif HWY_ARCH_ARM_A64 && HWY_TARGET <= HWY_NEON
#define LOOPTREE_DOT 8  // widening products of bytes
#else
#define LOOPTREE_DOT 0
#endif

#if LOOPTREE_DOT == 512
// Highway asks the processor for AVX512_VNNI at this level, but 1.0 tells the compiler of another.
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512vnni")
#else
HWY_BEFORE_NAMESPACE();
#endif
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE float LeastOf(const std::uint8_t*) {
  return 0;
}
HWY_INLINE float MostOf(const std::uint8_t*) {
  return kMostActive;
}
HWY_INLINE float LeastOf(const std::int16_t*) {
  return std::numeric_limits<std::int16_t>::min();
}
HWY_INLINE float MostOf(const std::int16_t*) {
  return std::numeric_limits<std::int16_t>::max();
}

#if LOOPTREE_DOT == 0

/// One sum after the other.
template <typename Out>
void ConvolveRow(const ConvRow& row, Out* out) {
  const PackedLayer& layer = *row.layer;
  for (int cell = 0; cell < row.cells; ++cell) {
    for (int c = 0; c < layer.out; ++c) {
      const WeightGroup* group =
          layer.weights.data() + static_cast<std::size_t>(c / kBlockOutputs) * layer.groups;
      std::int32_t sum = layer.bias[static_cast<std::size_t>(c)];
      for (int p = 0; p < row.part_count; ++p) {
        const ConvPart& part = row.parts[static_cast<std::size_t>(p)];
        const std::uint8_t* in = part.at + static_cast<std::size_t>(cell) * part.step;
        for (int g = 0; g < part.groups; ++g, ++group) {
          for (int i = 0; i < kGroupInputs; ++i) {
            sum += *in++ * group->weights[c % kBlockOutputs][i];
          }
        }
      }
      const float value = static_cast<float>(sum) * layer.scale[static_cast<std::size_t>(c)];
      *out = static_cast<Out>(std::lrint(std::clamp(value, LeastOf(out), MostOf(out))));
      ++out;
    }
  }
}

#else

using D32 = hn::CappedTag<std::int32_t, kBlockOutputs>;
using V32 = hn::Vec<D32>;
using D8 = hn::Repartition<std::int8_t, D32>;
using V8 = hn::Vec<D8>;

/// Outputs of a vector.
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D32()));
constexpr int kVectorsPerBlock = kBlockOutputs / kLanes;

/// Cells and vectors of outputs whose sums registers hold at once.
#if LOOPTREE_DOT == 512 || HWY_TARGET <= HWY_AVX3
constexpr int kTileCells = 6;
constexpr int kTileVectors = 4;
#elif LOOPTREE_DOT == 8
constexpr int kTileCells = 4;
constexpr int kTileVectors = 4;
#else
constexpr int kTileCells = 4;
constexpr int kTileVectors = 2;
#endif

/// Adds to each 32-bit lane of `sum` the products of four bytes of `inputs` (0 to 127) with four of
/// `weights` (-127 to 127). Two such products fit 16 bits.
HWY_INLINE V32 AddProducts(V32 sum, V8 inputs, V8 weights) {
#if LOOPTREE_DOT == 512
  return V32{_mm512_dpbusd_epi32(sum.raw, inputs.raw, weights.raw)};
#elif LOOPTREE_DOT == 16 && HWY_TARGET <= HWY_AVX3
  const __m512i pairs = _mm512_maddubs_epi16(inputs.raw, weights.raw);
  return V32{_mm512_add_epi32(sum.raw, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))};
#elif LOOPTREE_DOT == 16 && HWY_TARGET <= HWY_AVX2
  const __m256i pairs = _mm256_maddubs_epi16(inputs.raw, weights.raw);
  return V32{_mm256_add_epi32(sum.raw, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))};
#elif LOOPTREE_DOT == 16
  const __m128i pairs = _mm_maddubs_epi16(inputs.raw, weights.raw);
  return V32{_mm_add_epi32(sum.raw, _mm_madd_epi16(pairs, _mm_set1_epi16(1)))};
#else
  const int16x8_t low = vmull_s8(vget_low_s8(inputs.raw), vget_low_s8(weights.raw));
  const int16x8_t high = vmull_s8(vget_high_s8(inputs.raw), vget_high_s8(weights.raw));
  return V32{vpadalq_s16(sum.raw, vpaddq_s16(low, high))};
#endif
}

/// Four bytes, in every lane.
HWY_INLINE V8 Everywhere(const std::uint8_t* four) {
  std::int32_t value;
  std::memcpy(&value, four, sizeof(value));
  return hn::BitCast(D8(), hn::Set(D32(), value));
}

/// The sums of a cell from output `c` on, as they are stored.
template <typename Out>
HWY_INLINE void Store(V32 sum, const float* scale, Out* out) {
  const hn::RebindToFloat<D32> df;
  const hn::Rebind<Out, D32> to;
  const auto value = hn::Mul(hn::ConvertTo(df, sum), hn::LoadU(df, scale));
  const auto least = hn::Set(df, LeastOf(out));
  const auto most = hn::Set(df, MostOf(out));
  const auto whole = hn::NearestInt(hn::Min(hn::Max(value, least), most));
  hn::StoreU(hn::DemoteTo(to, whole), to, out);
}

/// `kCells` cells from `cell` on, `kVectors` vectors of outputs from `vector` on.
template <int kCells, int kVectors, typename Out>
HWY_INLINE void Tile(const ConvRow& row, int cell, int vector, Out* out) {
  const D32 d32;
  const D8 d8;
  const PackedLayer& layer = *row.layer;
  const std::int8_t* weights[kVectors];
  V32 sums[kCells][kVectors];
  HWY_UNROLL(8)
  for (int v = 0; v < kVectors; ++v) {
    const int block = (vector + v) / kVectorsPerBlock;
    const int part = (vector + v) % kVectorsPerBlock;
    const WeightGroup* first =
        layer.weights.data() + static_cast<std::size_t>(block) * layer.groups;
    weights[v] =
        reinterpret_cast<const std::int8_t*>(first) + std::ptrdiff_t{part} * kLanes * kGroupInputs;
    const V32 bias = hn::LoadU(d32, layer.bias.data() + std::ptrdiff_t{vector + v} * kLanes);
    HWY_UNROLL(8)
    for (int c = 0; c < kCells; ++c) sums[c][v] = bias;
  }
  for (int p = 0; p < row.part_count; ++p) {
    const ConvPart& part = row.parts[static_cast<std::size_t>(p)];
    const std::uint8_t* in = part.at + static_cast<std::size_t>(cell) * part.step;
    const std::size_t step = part.step;
    for (int g = 0; g < part.groups; ++g, in += kGroupInputs) {
      V8 w[kVectors];
      HWY_UNROLL(8)
      for (int v = 0; v < kVectors; ++v) {
        w[v] = hn::Load(d8, weights[v]);
        weights[v] += sizeof(WeightGroup);
      }
      HWY_UNROLL(8)
      for (int c = 0; c < kCells; ++c) {
        const V8 x = Everywhere(in + static_cast<std::size_t>(c) * step);
        HWY_UNROLL(8)
        for (int v = 0; v < kVectors; ++v) sums[c][v] = AddProducts(sums[c][v], x, w[v]);
      }
    }
  }
  HWY_UNROLL(8)
  for (int c = 0; c < kCells; ++c) {
    HWY_UNROLL(8)
    for (int v = 0; v < kVectors; ++v) {
      const int channel = (vector + v) * kLanes;
      Store(sums[c][v], layer.scale.data() + channel,
            out + static_cast<std::size_t>(cell + c) * layer.out + channel);
    }
  }
}

/// All cells of a few vectors of outputs. The last tile is moved back to end with the row.
template <int kVectors, typename Out>
HWY_NOINLINE void Cells(const ConvRow& row, int vector, Out* out) {
  if (row.cells < kTileCells) {
    for (int cell = 0; cell < row.cells; ++cell) Tile<1, kVectors>(row, cell, vector, out);
    return;
  }
  const int last = row.cells - kTileCells;
  for (int cell = 0; cell < row.cells; cell += kTileCells) {
    Tile<kTileCells, kVectors>(row, std::min(cell, last), vector, out);
  }
}

template <typename Out>
void ConvolveRow(const ConvRow& row, Out* out) {
  const int vectors = row.layer->out / kLanes;
  int vector = 0;
  for (; vector + kTileVectors <= vectors; vector += kTileVectors) {
    Cells<kTileVectors>(row, vector, out);
  }
  for (; vector + 2 <= vectors; vector += 2) Cells<2>(row, vector, out);
  for (; vector < vectors; ++vector) Cells<1>(row, vector, out);
}

#endif

void ConvolveToBytes(const ConvRow& row, std::uint8_t* out) {
  ConvolveRow(row, out);
}
void ConvolveToScores(const ConvRow& row, std::int16_t* out) {
  ConvolveRow(row, out);
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(ConvolveToBytes);
HWY_EXPORT(ConvolveToScores);

void convolve(const ConvRow& row, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(ConvolveToBytes)(row, out);
}

void convolve(const ConvRow& row, std::int16_t* out) {
  HWY_DYNAMIC_DISPATCH(ConvolveToScores)(row, out);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
