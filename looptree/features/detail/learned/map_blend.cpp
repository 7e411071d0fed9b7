// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/learned/map_blend.hpp"

#include <algorithm>
#include <cstddef>

#include "looptree/common/simd.hpp"
#include "looptree/features/detail/learned/learned_geometry.hpp"
#include "looptree/features/detail/learned/network.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/features/detail/learned/map_blend.cpp"
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

#ifndef LOOPTREE_FEATURES_MAP_BLEND_ONCE
#define LOOPTREE_FEATURES_MAP_BLEND_ONCE
namespace looptree::detail {

/// Four places and how much each counts: above and below, left and right.
struct BlendOfFour {
  const std::uint8_t* at[4];
  std::int32_t weights[4];  ///< 4096 in all
};

}  // namespace looptree::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Maps have a multiple of 16 channels.
using D16 = hn::CappedTag<std::uint16_t, 16>;

/// Two rows as one, in 2 x cell parts.
void BlendRows(const std::uint8_t* first, const std::uint8_t* second, int cell, int to_second,
               int count, std::uint16_t* target) {
  const D16 d;
  const hn::Rebind<std::uint8_t, D16> d8;
  const auto w1 = hn::Set(d, static_cast<std::uint16_t>(2 * cell - to_second));
  const auto w2 = hn::Set(d, static_cast<std::uint16_t>(to_second));
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
    const auto a = hn::PromoteTo(d, hn::LoadU(d8, first + i));
    const auto b = hn::PromoteTo(d, hn::LoadU(d8, second + i));
    hn::StoreU(hn::Add(hn::Mul(a, w1), hn::Mul(b, w2)), d, target + i);
  }
}

/// Between two cells of a blended row, rounded: `kShift` binary digits are parts.
template <int kShift>
HWY_INLINE hn::Vec<D16> Between(const std::uint16_t* first, const std::uint16_t* second,
                                int to_second) {
  const D16 d;
  constexpr int kWhole = 1 << (kShift / 2);
  const auto a =
      hn::Mul(hn::LoadU(d, first), hn::Set(d, static_cast<std::uint16_t>(kWhole - to_second)));
  const auto b = hn::Mul(hn::LoadU(d, second), hn::Set(d, static_cast<std::uint16_t>(to_second)));
  const auto half = hn::Set(d, static_cast<std::uint16_t>(1 << (kShift - 1)));
  return hn::ShiftRight<kShift>(hn::Add(hn::Add(a, b), half));
}

/// One row of the sum, `width` cells of `channels`, of `b` and blended rows of c and d.
void AddRows(const std::uint8_t* b, const std::uint16_t* c, const std::uint16_t* d4, int width,
             std::ptrdiff_t channels, std::uint8_t* target) {
  const D16 d;
  const hn::RebindToSigned<D16> di;
  const hn::Rebind<std::uint8_t, D16> d8;
  const auto most = hn::Set(d, kMostActive);
  for (int x = 0; x < width; ++x) {
    const Blend at2 = blend_of_cells(x, 2, width / 2);
    const Blend at4 = blend_of_cells(x, 4, width / 4);
    const std::uint16_t* c1 = c + at2.first * channels;
    const std::uint16_t* c2 = c + at2.second * channels;
    const std::uint16_t* d1 = d4 + at4.first * channels;
    const std::uint16_t* d2 = d4 + at4.second * channels;
    for (std::ptrdiff_t i = 0; i < channels; i += static_cast<std::ptrdiff_t>(hn::Lanes(d))) {
      auto sum = hn::PromoteTo(d, hn::LoadU(d8, b + x * channels + i));
      sum = hn::Add(sum, Between<4>(c1 + i, c2 + i, at2.to_second));
      sum = hn::Add(sum, Between<6>(d1 + i, d2 + i, at4.to_second));
      hn::StoreU(hn::DemoteTo(d8, hn::BitCast(di, hn::Min(sum, most))), d8,
                 target + x * channels + i);
    }
  }
}

void BlendFour(const BlendOfFour& four, int channels, std::uint8_t* target) {
  const hn::CappedTag<std::int32_t, 16> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  for (int i = 0; i < channels; i += static_cast<int>(hn::Lanes(d))) {
    auto sum = hn::Set(d, 1 << 11);
    for (int k = 0; k < 4; ++k) {
      const auto value = hn::PromoteTo(d, hn::LoadU(d8, four.at[k] + i));
      sum = hn::Add(sum, hn::Mul(value, hn::Set(d, four.weights[k])));
    }
    hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<12>(sum)), d8, target + i);
  }
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(BlendRows);
HWY_EXPORT(AddRows);
HWY_EXPORT(BlendFour);

void add_scales(const ActiveMap& b, const ActiveMap& c, const ActiveMap& d, ActiveMap& sum,
                std::vector<std::uint16_t>& rows) {
  const int channels = b.channels();
  const int c_values = c.width() * channels;
  const int d_values = d.width() * channels;
  rows.resize(static_cast<std::size_t>(c_values) + d_values);
  std::uint16_t* c_row = rows.data();
  std::uint16_t* d_row = c_row + c_values;
  for (int y = 0; y < b.height(); ++y) {
    const Blend at2 = blend_of_cells(y, 2, c.height());
    const Blend at4 = blend_of_cells(y, 4, d.height());
    HWY_DYNAMIC_DISPATCH(BlendRows)
    (c.row(at2.first), c.row(at2.second), 2, at2.to_second, c_values, c_row);
    HWY_DYNAMIC_DISPATCH(BlendRows)
    (d.row(at4.first), d.row(at4.second), 4, at4.to_second, d_values, d_row);
    HWY_DYNAMIC_DISPATCH(AddRows)(b.row(y), c_row, d_row, b.width(), channels, sum.row(y));
  }
}

void sample(const ActiveMap& map, int gx, int gy, std::uint8_t* target) {
  const int x = gx / 64;
  const int y = gy / 64;
  // Where there is no next cell it counts nothing, and the frame around the map can be read.
  const std::uint8_t* above = map.row(y) + static_cast<std::size_t>(x) * map.channels();
  const std::uint8_t* below = above + map.stride();
  const int fx = gx % 64;
  const int fy = gy % 64;
  const BlendOfFour four{{above, above + map.channels(), below, below + map.channels()},
                         {(64 - fx) * (64 - fy), fx * (64 - fy), (64 - fx) * fy, fx * fy}};
  HWY_DYNAMIC_DISPATCH(BlendFour)(four, map.channels(), target);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
