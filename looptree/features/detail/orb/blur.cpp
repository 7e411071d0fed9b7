// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/orb/blur.hpp"

#include <algorithm>
#include <cmath>

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/features/detail/orb/blur.cpp"
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

#ifndef LOOPTREE_FEATURES_BLUR_ONCE
#define LOOPTREE_FEATURES_BLUR_ONCE
namespace looptree::detail {

constexpr int kBlurRows = 2 * kBlurRadius + 1;

/// Sums of rows that wait for their columns, as many as a column needs.
struct BlurRows {
  ImageView image;
  int margin;
  float* floats;  ///< one row of the image as floats
  float* sums;    ///< kBlurRows rows, by row number modulo their count
  std::size_t stride;

  float* sum_row(int y) const { return sums + static_cast<std::size_t>(y % kBlurRows) * stride; }
};

}  // namespace looptree::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Whether Highway's MulAdd rounds once.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || \
    HWY_ARCH_ARM_A64
constexpr bool kFused = true;
#else
constexpr bool kFused = false;
#endif

using F = hn::ScalableTag<float>;
using V = hn::Vec<F>;

/// Weighted sums along row `y` of the image, for the columns from margin on.
void BlurAcross(const BlurRows& rows, int y) {
  const F d;
  const hn::Rebind<std::int32_t, F> di;
  const hn::Rebind<std::uint8_t, F> du8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const std::uint8_t* pixels = rows.image.row(y);
  // Whole vectors up to the end, the last one moved back to end with the row.
  const int width = rows.image.width;
  const int last = std::max(0, width - lanes);
  for (int x = 0; x < width; x += lanes) {
    const int at = std::min(x, last);
    hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(du8, pixels + at))), d,
               rows.floats + at);
  }
  const V k0 = hn::Set(d, kBlurWeights[0]);
  const V k1 = hn::Set(d, kBlurWeights[1]);
  const V k2 = hn::Set(d, kBlurWeights[2]);
  const V k3 = hn::Set(d, kBlurWeights[3]);
  float* sums = rows.sum_row(y);
  for (int x = rows.margin; x < width - rows.margin; x += lanes) {
    const float* from = rows.floats + x - kBlurRadius;
    V sum = hn::Mul(hn::LoadU(d, from), k3);
    sum = hn::MulAdd(hn::LoadU(d, from + 1), k2, sum);
    sum = hn::MulAdd(hn::LoadU(d, from + 2), k1, sum);
    sum = hn::MulAdd(hn::LoadU(d, from + 3), k0, sum);
    sum = hn::MulAdd(hn::LoadU(d, from + 4), k1, sum);
    sum = hn::MulAdd(hn::LoadU(d, from + 5), k2, sum);
    sum = hn::MulAdd(hn::LoadU(d, from + 6), k3, sum);
    hn::StoreU(sum, d, sums + x);
  }
}

/// Without fused multiply-adds sums are off by less than this: seven products and as many sums in
/// each direction, each rounded at most once more than fused ones, at 256 or below.
constexpr float kUnfusedError = 32 * 256 * 0x1p-24F;

/// Pixels whose sums, made without fused multiply-adds, lie too near to the middle between two
/// values to be sure of: those few are made one by one.
HWY_INLINE void SettleDoubts(const BlurRows& rows, int x, int y, V sum, std::uint8_t* target) {
  const F d;
  const V off = hn::Abs(hn::Sub(sum, hn::ConvertTo(d, hn::NearestInt(sum))));
  const auto doubtful = hn::Ge(off, hn::Set(d, 0.5F - kUnfusedError));
  if (HWY_LIKELY(hn::AllFalse(d, doubtful))) return;
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, doubtful, bits);
  const int end = std::min(static_cast<int>(hn::Lanes(d)), rows.image.width - rows.margin - x);
  for (int i = 0; i < end; ++i) {
    if ((bits[i / 8] >> (i % 8) & 1) != 0) target[x + i] = blurred_pixel(rows.image, x + i, y);
  }
}

/// Row `y` of the result, from the sums of seven rows.
void BlurDown(const BlurRows& rows, int y, std::uint8_t* target) {
  const F d;
  const hn::Rebind<std::uint8_t, F> du8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V k0 = hn::Set(d, kBlurWeights[0]);
  const V k1 = hn::Set(d, kBlurWeights[1]);
  const V k2 = hn::Set(d, kBlurWeights[2]);
  const V k3 = hn::Set(d, kBlurWeights[3]);
  const float* row[kBlurRows];
  for (int i = 0; i < kBlurRows; ++i) row[i] = rows.sum_row(y + i - kBlurRadius);
  const int end = rows.image.width - rows.margin;
  for (int x = rows.margin; x < end; x += lanes) {
    const auto pair = [&](int distance) {
      return hn::Add(hn::LoadU(d, row[kBlurRadius + distance] + x),
                     hn::LoadU(d, row[kBlurRadius - distance] + x));
    };
    V sum = hn::Mul(hn::LoadU(d, row[kBlurRadius] + x), k0);
    sum = hn::MulAdd(pair(1), k1, sum);
    sum = hn::MulAdd(pair(2), k2, sum);
    sum = hn::MulAdd(pair(3), k3, sum);
    hn::StoreU(hn::DemoteTo(du8, hn::NearestInt(sum)), du8, target + x);
    if constexpr (!kFused) SettleDoubts(rows, x, y, sum, target);
  }
}

void BlurImage(const BlurRows& rows, std::uint8_t* target, std::size_t stride) {
  const int bottom = rows.image.height - rows.margin;
  for (int y = rows.margin - kBlurRadius; y < bottom + kBlurRadius; ++y) {
    BlurAcross(rows, y);
    const int done = y - kBlurRadius;
    if (done >= rows.margin) {
      BlurDown(rows, done, target + static_cast<std::size_t>(done) * stride);
    }
  }
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(BlurImage);

std::uint8_t blurred_pixel(const ImageView& image, int x, int y) {
  float across[kBlurRows];
  for (int v = 0; v < kBlurRows; ++v) {
    const std::uint8_t* pixels = image.row(y + v - kBlurRadius) + x - kBlurRadius;
    float sum = 0;
    for (int u = 0; u < kBlurRows; ++u) {
      sum = std::fma(static_cast<float>(pixels[u]), kBlurWeights[std::abs(u - kBlurRadius)], sum);
    }
    across[v] = sum;
  }
  float sum = across[kBlurRadius] * kBlurWeights[0];
  for (int i = 1; i <= kBlurRadius; ++i) {
    sum = std::fma(across[kBlurRadius + i] + across[kBlurRadius - i], kBlurWeights[i], sum);
  }
  return static_cast<std::uint8_t>(std::min(255L, std::lrint(sum)));
}

void blur(const ImageView& image, int margin, std::uint8_t* target, std::size_t stride,
          std::vector<float>& scratch) {
  prepare_simd();
  const std::size_t row = (static_cast<std::size_t>(image.width) + 127) / 64 * 64;
  scratch.resize(row * (kBlurRows + 1));
  const BlurRows rows{image, margin, scratch.data(), scratch.data() + row, row};
  HWY_DYNAMIC_DISPATCH(BlurImage)(rows, target, stride);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
