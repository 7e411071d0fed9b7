// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/orb/steered_brief.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "looptree/common/simd.hpp"
#include "looptree/features/detail/orb/orb_angle.hpp"
#include "looptree/features/detail/orb/orb_pattern.hpp"
#include "looptree/features/detail/orb_levels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/features/detail/orb/steered_brief.cpp"
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

#ifndef LOOPTREE_FEATURES_BRIEF_ONCE
#define LOOPTREE_FEATURES_BRIEF_ONCE
namespace looptree::detail {

constexpr std::size_t kDiskRow = 32;

/// For every row of the disk, from its centre on, which of 32 pixels from 15 to the left on are in.
struct alignas(64) Disk {
  std::uint8_t in[kOrbRadius + 1][kDiskRow];
  std::int16_t place[kDiskRow];  ///< of a column
};

inline Disk make_disk() {
  Disk disk{};
  for (int v = 0; v <= kOrbRadius; ++v) {
    for (int u = -disk_half_width(v); u <= disk_half_width(v); ++u)
      disk.in[v][u + kOrbRadius] = 255;
  }
  for (std::size_t i = 0; i < kDiskRow; ++i) {
    disk.place[i] = static_cast<std::int16_t>(static_cast<int>(i) - kOrbRadius);
  }
  return disk;
}

/// First pixels of all comparisons, then second ones.
constexpr std::size_t kPoints = 2 * kOrbBits;
struct alignas(64) Points {
  float x[kPoints];
  float y[kPoints];
};

inline Points make_points() {
  Points points{};
  for (std::size_t i = 0; i < kOrbBits; ++i) {
    points.x[i] = kOrbPattern[i].x1;
    points.y[i] = kOrbPattern[i].y1;
    points.x[kOrbBits + i] = kOrbPattern[i].x2;
    points.y[kOrbBits + i] = kOrbPattern[i].y2;
  }
  return points;
}

struct Moments {
  std::int32_t x;
  std::int32_t y;
};

}  // namespace looptree::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Columns are summed up as they are, and weighted by row; the largest sums, 31 x 255 and 120 x
/// 255, fit into 16 bits.
Moments DiskMoments(const Disk& disk, const std::uint8_t* centre, std::ptrdiff_t stride) {
  const hn::CappedTag<std::int16_t, kDiskRow> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const hn::RepartitionToWide<decltype(d)> wide;
  auto sum_x = hn::Zero(wide);
  auto sum_y = hn::Zero(wide);
  const auto one = hn::Set(d, 1);
  for (std::size_t u = 0; u < kDiskRow; u += hn::Lanes(d)) {
    const std::uint8_t* from = centre - kOrbRadius + u;
    const auto row = [&](std::ptrdiff_t v, std::size_t in) {
      const auto pixels = hn::LoadU(d8, from + v * stride);
      return hn::PromoteTo(d, hn::And(pixels, hn::LoadU(d8, disk.in[in] + u)));
    };
    auto plain = row(0, 0);
    auto weighted = hn::Zero(d);
    for (int v = 1; v <= kOrbRadius; ++v) {
      const auto below = row(v, static_cast<std::size_t>(v));
      const auto above = row(-v, static_cast<std::size_t>(v));
      plain = hn::Add(plain, hn::Add(below, above));
      weighted = hn::Add(weighted,
                         hn::Mul(hn::Sub(below, above), hn::Set(d, static_cast<std::int16_t>(v))));
    }
    auto rest = hn::Zero(wide);
    sum_x = hn::ReorderWidenMulAccumulate(wide, plain, hn::LoadU(d, disk.place + u), sum_x, rest);
    sum_x = hn::Add(sum_x, rest);
    rest = hn::Zero(wide);
    sum_y = hn::ReorderWidenMulAccumulate(wide, weighted, one, sum_y, rest);
    sum_y = hn::Add(sum_y, rest);
  }
  return {hn::GetLane(hn::SumOfLanes(wide, sum_x)), hn::GetLane(hn::SumOfLanes(wide, sum_y))};
}

/// Products and sums are rounded one by one, as everywhere, and never fused.
void TurnPoints(const Points& points, Rotation rotation, std::int32_t stride,
                std::int32_t* offsets) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto cosine = hn::Set(d, rotation.cosine);
  const auto sine = hn::Set(d, rotation.sine);
  const auto step = hn::Set(di, stride);
  for (std::size_t i = 0; i < kPoints; i += hn::Lanes(d)) {
    const auto x = hn::Load(d, points.x + i);
    const auto y = hn::Load(d, points.y + i);
    const auto dx = hn::NearestInt(hn::Sub(hn::Mul(x, cosine), hn::Mul(y, sine)));
    const auto dy = hn::NearestInt(hn::Add(hn::Mul(x, sine), hn::Mul(y, cosine)));
    hn::Store(hn::Add(hn::Mul(dy, step), dx), di, offsets + i);
  }
}

void ComparePixels(const std::uint8_t* pixels, std::uint8_t* bytes) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < kOrbBits / 8; ++i) bytes[i] = 0;
  for (std::size_t i = 0; i < kOrbBits; ++i) {
    bytes[i / 8] |=
        static_cast<std::uint8_t>((pixels[i] < pixels[kOrbBits + i] ? 1U : 0U) << i % 8);
  }
#else
  const hn::CappedTag<std::uint8_t, 64> d;
  for (std::size_t i = 0; i < kOrbBits; i += hn::Lanes(d)) {
    const auto first = hn::Load(d, pixels + i);
    const auto second = hn::Load(d, pixels + kOrbBits + i);
    hn::StoreMaskBits(d, hn::Lt(first, second), bytes + i / 8);
  }
#endif
}

/// Pixels are read one by one: machines that gather them by vector do it no faster.
void Describe(const Points& points, Rotation rotation, const std::uint8_t* centre,
              std::ptrdiff_t stride, std::uint8_t* bytes) {
  HWY_ALIGN std::int32_t offsets[kPoints];
  HWY_ALIGN std::uint8_t pixels[kPoints];
  TurnPoints(points, rotation, static_cast<std::int32_t>(stride), offsets);
  for (std::size_t i = 0; i < kPoints; ++i) pixels[i] = centre[offsets[i]];
  ComparePixels(pixels, bytes);
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(DiskMoments);
HWY_EXPORT(Describe);

float orientation(const ImageView& image, int x, int y) {
  static const Disk disk = make_disk();
  prepare_simd();
  const Moments moments = HWY_DYNAMIC_DISPATCH(DiskMoments)(
      disk, image.row(y) + x, static_cast<std::ptrdiff_t>(image.stride));
  return centroid_angle(moments.y, moments.x);
}

void describe(const ImageView& blurred, int x, int y, float angle, std::uint8_t* bytes) {
  static const Points points = make_points();
  prepare_simd();
  HWY_DYNAMIC_DISPATCH(Describe)
  (points, rotation_of(angle), blurred.row(y) + x, static_cast<std::ptrdiff_t>(blurred.stride),
   bytes);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
