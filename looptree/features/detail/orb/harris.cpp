// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/orb/harris.hpp"

#include <cstddef>

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/features/detail/orb/harris.cpp"
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Eight columns at once, of which seven count, or one by one where there are no vectors.
using D = hn::CappedTag<std::int16_t, 8>;
using V = hn::Vec<D>;
using Wide = hn::RepartitionToWide<D>;
using Sums = hn::Vec<Wide>;

HWY_INLINE V Pixels(const std::uint8_t* at) {
  return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<std::uint8_t, D>(), at));
}

HWY_INLINE std::int64_t Total(Sums sum, Sums rest) {
  return hn::GetLane(hn::SumOfLanes(Wide(), hn::Add(sum, rest)));
}

std::int64_t HarrisScore(const std::uint8_t* centre, std::ptrdiff_t stride) {
  const D d;
  const Wide wide;
  constexpr int columns = 7;
  const int lanes = static_cast<int>(hn::Lanes(d));
  // Each sum is in two parts: how products are dealt out to them is up to the machine.
  Sums a = hn::Zero(wide), a_rest = a;
  Sums b = a, b_rest = a;
  Sums c = a, c_rest = a;
  for (int u = 0; u < columns; u += lanes) {
    const auto counts = hn::FirstN(d, static_cast<std::size_t>(columns - u));
    V smooth[9];  // of each row: left + 2 middle + right
    V slope[9];   // and right - left
    for (int v = 0; v < 9; ++v) {
      const std::uint8_t* row = centre + (v - 4) * stride + u - 3;
      const V left = Pixels(row - 1);
      const V middle = Pixels(row);
      const V right = Pixels(row + 1);
      smooth[v] = hn::Add(hn::Add(left, right), hn::Add(middle, middle));
      slope[v] = hn::Sub(right, left);
    }
    for (int v = 1; v < 8; ++v) {
      const V ix = hn::IfThenElseZero(
          counts, hn::Add(hn::Add(slope[v - 1], slope[v + 1]), hn::Add(slope[v], slope[v])));
      const V iy = hn::IfThenElseZero(counts, hn::Sub(smooth[v + 1], smooth[v - 1]));
      a = hn::ReorderWidenMulAccumulate(wide, ix, ix, a, a_rest);
      b = hn::ReorderWidenMulAccumulate(wide, iy, iy, b, b_rest);
      c = hn::ReorderWidenMulAccumulate(wide, ix, iy, c, c_rest);
    }
  }
  return harris_of(Total(a, a_rest), Total(b, b_rest), Total(c, c_rest));
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(HarrisScore);

std::int64_t harris_score(const ImageView& image, int x, int y) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(HarrisScore)(image.row(y) + x,
                                           static_cast<std::ptrdiff_t>(image.stride));
}

float harris_response(std::int64_t score) {
  // Sobel's weights sum up to 4, and 7 x 255 normalises what is left, as in OpenCV.
  constexpr double scale = 1.0 / (4.0 * 7.0 * 255.0);
  return static_cast<float>(static_cast<double>(score) * (scale * scale * scale * scale / 25));
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
