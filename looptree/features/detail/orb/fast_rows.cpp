// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/orb/fast_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/features/detail/orb/fast_rows.cpp"
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<std::uint8_t>;
using V = hn::Vec<D>;

HWY_INLINE bool AnyBits(V v) {
  const D d;
  return !hn::AllTrue(d, hn::Eq(v, hn::Zero(d)));
}

/// The darkest of the brightest arc of nine: over all arcs the largest of their least values.
/// An arc of nine is eight in a row and one of the two beside them.
HWY_INLINE V BrightestArc(const V (&ring)[16]) {
  V two[8];
  for (int i = 0; i < 8; ++i) two[i] = hn::Min(ring[2 * i + 1], ring[(2 * i + 2) % 16]);
  V four[8];
  for (int i = 0; i < 8; ++i) four[i] = hn::Min(two[i], two[(i + 1) % 8]);
  V best = hn::Zero(D());
  for (int i = 0; i < 8; ++i) {
    const V eight = hn::Min(four[i], four[(i + 2) % 8]);
    best = hn::Max(best, hn::Min(eight, hn::Max(ring[2 * i], ring[(2 * i + 9) % 16])));
  }
  return best;
}

/// The same for dark: over all arcs the least of their largest values.
HWY_INLINE V DarkestArc(const V (&ring)[16]) {
  V two[8];
  for (int i = 0; i < 8; ++i) two[i] = hn::Max(ring[2 * i + 1], ring[(2 * i + 2) % 16]);
  V four[8];
  for (int i = 0; i < 8; ++i) four[i] = hn::Max(two[i], two[(i + 1) % 8]);
  V best = hn::Set(D(), 255);
  for (int i = 0; i < 8; ++i) {
    const V eight = hn::Max(four[i], four[(i + 2) % 8]);
    best = hn::Min(best, hn::Max(eight, hn::Min(ring[2 * i], ring[(2 * i + 9) % 16])));
  }
  return best;
}

/// Scores of one vector of pixels.
HWY_INLINE V Scores(const std::uint8_t* at, std::ptrdiff_t stride, V threshold) {
  const D d;
  const V centre = hn::LoadU(d, at);
  const V bright = hn::SaturatedAdd(centre, threshold);
  const V dark = hn::SaturatedSub(centre, threshold);
  // Every arc of nine has one of each two pixels that face each other.
  V ring[16];
  ring[0] = hn::LoadU(d, at + 3 * stride);
  ring[4] = hn::LoadU(d, at + 3);
  ring[8] = hn::LoadU(d, at - 3 * stride);
  ring[12] = hn::LoadU(d, at - 3);
  V most = hn::Min(hn::Max(ring[0], ring[8]), hn::Max(ring[4], ring[12]));
  V least = hn::Max(hn::Min(ring[0], ring[8]), hn::Min(ring[4], ring[12]));
  if (!AnyBits(hn::Or(hn::SaturatedSub(most, bright), hn::SaturatedSub(dark, least)))) {
    return hn::Zero(d);
  }
  ring[2] = hn::LoadU(d, at + 2 * stride + 2);
  ring[6] = hn::LoadU(d, at - 2 * stride + 2);
  ring[10] = hn::LoadU(d, at - 2 * stride - 2);
  ring[14] = hn::LoadU(d, at + 2 * stride - 2);
  most = hn::Min(most, hn::Min(hn::Max(ring[2], ring[10]), hn::Max(ring[6], ring[14])));
  least = hn::Max(least, hn::Max(hn::Min(ring[2], ring[10]), hn::Min(ring[6], ring[14])));
  if (!AnyBits(hn::Or(hn::SaturatedSub(most, bright), hn::SaturatedSub(dark, least)))) {
    return hn::Zero(d);
  }
  ring[1] = hn::LoadU(d, at + 3 * stride + 1);
  ring[3] = hn::LoadU(d, at + stride + 3);
  ring[5] = hn::LoadU(d, at - stride + 3);
  ring[7] = hn::LoadU(d, at - 3 * stride + 1);
  ring[9] = hn::LoadU(d, at - 3 * stride - 1);
  ring[11] = hn::LoadU(d, at - stride - 3);
  ring[13] = hn::LoadU(d, at + stride - 3);
  ring[15] = hn::LoadU(d, at + 3 * stride - 1);
  const V score = hn::Max(hn::SaturatedSub(BrightestArc(ring), centre),
                          hn::SaturatedSub(centre, DarkestArc(ring)));
  return hn::IfThenElseZero(hn::Gt(score, threshold), score);
}

void ScoreRow(const std::uint8_t* row, std::ptrdiff_t stride, int left, int right,
              const std::uint8_t* thresholds, std::uint8_t* scores) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  // The last vector is moved back to end with the row.
  const int last = std::max(left, right - lanes);
  for (int x = left; x < right; x += lanes) {
    const int at = std::min(x, last);
    hn::StoreU(Scores(row + at, stride, hn::LoadU(d, thresholds + at)), d, scores + at);
  }
}

std::size_t FindPeaks(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below,
                      int left, int right, std::uint32_t* peaks) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  std::uint32_t* out = peaks;
  for (int x = left; x < right; x += lanes) {
    const V own = hn::LoadU(d, row + x);
    if (!AnyBits(own)) continue;
    V around = hn::Max(hn::LoadU(d, row + x - 1), hn::LoadU(d, row + x + 1));
    for (const std::uint8_t* other : {above, below}) {
      around = hn::Max(around, hn::LoadU(d, other + x));
      around = hn::Max(around, hn::Max(hn::LoadU(d, other + x - 1), hn::LoadU(d, other + x + 1)));
    }
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, hn::Gt(own, around), bytes);
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    if (right - x < 64) bits &= (std::uint64_t{1} << (right - x)) - 1;
    for (; bits != 0; bits &= bits - 1) {
      *out++ = static_cast<std::uint32_t>(x + std::countr_zero(bits));
    }
  }
  return static_cast<std::size_t>(out - peaks);
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(ScoreRow);
HWY_EXPORT(FindPeaks);

void score_row(const ImageView& image, int y, int left, int right, const std::uint8_t* thresholds,
               std::uint8_t* scores) {
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(ScoreRow)
  (image.row(y), static_cast<std::ptrdiff_t>(image.stride), left, right, thresholds, scores);
}

std::size_t find_peaks(const std::uint8_t* above, const std::uint8_t* row,
                       const std::uint8_t* below, int left, int right, std::uint32_t* peaks) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(FindPeaks)(above, row, below, left, right, peaks);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
