// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/shrink.hpp"

#include <algorithm>
#include <span>

#include "looptree/common/simd.hpp"
#include "looptree/features/detail/resize.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/features/detail/shrink.cpp"
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Sums along one row, in 256ths of a grey level.
void ShrinkAcross(std::span<const Shrink::Group> groups, const std::uint8_t* row,
                  std::uint16_t* sums) {
#if HWY_TARGET == HWY_SCALAR
  for (const Shrink::Group& group : groups) {
    for (int i = 0; i < 8; ++i) {
      const std::uint8_t* pixels = row + group.first;
      *sums++ = static_cast<std::uint16_t>(pixels[group.pairs[2 * i]] * group.to_first[i] +
                                           pixels[group.pairs[2 * i + 1]] * group.to_second[i]);
    }
  }
#else
  const hn::FixedTag<std::uint8_t, 16> d8;
  const hn::FixedTag<std::uint16_t, 8> d16;
  const auto low = hn::Set(d16, 0xFF);
  for (const Shrink::Group& group : groups) {
    const auto pixels = hn::LoadU(d8, row + group.first);
    const auto pairs = hn::BitCast(d16, hn::TableLookupBytes(pixels, hn::LoadU(d8, group.pairs)));
    const auto first = hn::Mul(hn::And(pairs, low), hn::LoadU(d16, group.to_first));
    const auto second = hn::Mul(hn::ShiftRight<8>(pairs), hn::LoadU(d16, group.to_second));
    hn::StoreU(hn::Add(first, second), d16, sums);
    sums += 8;
  }
#endif
}

/// Weighted sum of two rows of sums, rounded to pixels. High and low bytes are weighted apart, so
/// that 16 bits hold them.
void ShrinkDown(const std::uint16_t* above, const std::uint16_t* below, int to_second,
                std::size_t count, std::uint8_t* target) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const auto low = hn::Set(d, 0xFF);
  const auto half = hn::Set(d, 128);
  const auto wa = hn::Set(d, static_cast<std::uint16_t>(256 - to_second));
  const auto wb = hn::Set(d, static_cast<std::uint16_t>(to_second));
  for (std::size_t x = 0; x < count; x += hn::Lanes(d)) {
    const auto a = hn::LoadU(d, above + x);
    const auto b = hn::LoadU(d, below + x);
    const auto fine = hn::Add(hn::Mul(hn::And(a, low), wa), hn::Mul(hn::And(b, low), wb));
    const auto coarse =
        hn::Add(hn::Mul(hn::ShiftRight<8>(a), wa), hn::Mul(hn::ShiftRight<8>(b), wb));
    const auto sum = hn::Add(hn::Add(coarse, hn::ShiftRight<8>(fine)), half);
    const hn::RebindToSigned<decltype(d)> di;
    hn::StoreU(hn::DemoteTo(d8, hn::BitCast(di, hn::ShiftRight<8>(sum))), d8, target + x);
  }
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(ShrinkAcross);
HWY_EXPORT(ShrinkDown);

Shrink::Shrink(int from_width, int from_height, int to_width, int to_height)
    : from_height_(from_height), to_height_(to_height) {
  for (int x = 0; x < to_width; x += 8) {
    Group group{};
    group.first = std::min(between_pixels(x, from_width, to_width).first, from_width - 16);
    for (int i = 0; i < 8 && x + i < to_width; ++i) {
      const Between at = between_pixels(x + i, from_width, to_width);
      group.pairs[2 * i] = static_cast<std::uint8_t>(at.first - group.first);
      group.pairs[2 * i + 1] = static_cast<std::uint8_t>(at.first + 1 - group.first);
      group.to_first[i] = static_cast<std::uint16_t>(256 - at.to_second);
      group.to_second[i] = static_cast<std::uint16_t>(at.to_second);
    }
    groups_.push_back(group);
  }
  // Whole vectors of the widest machine.
  for (auto& sums : sums_) sums.resize(groups_.size() * 8 + 32);
}

const std::uint16_t* Shrink::sums_of(const ImageView& from, int row) {
  const std::size_t slot = static_cast<std::size_t>(row) % 2;
  if (row_of_[slot] != row) {
    HWY_DYNAMIC_DISPATCH(ShrinkAcross)(groups_, from.row(row), sums_[slot].data());
    row_of_[slot] = row;
  }
  return sums_[slot].data();
}

void Shrink::operator()(const ImageView& from, std::uint8_t* target, std::size_t stride) {
  prepare_simd();
  row_of_[0] = row_of_[1] = -1;
  for (int y = 0; y < to_height_; ++y) {
    const Between at = between_pixels(y, from_height_, to_height_);
    const std::uint16_t* above = sums_of(from, at.first);
    const std::uint16_t* below = sums_of(from, at.first + 1);
    HWY_DYNAMIC_DISPATCH(ShrinkDown)
    (above, below, at.to_second, groups_.size() * 8, target + static_cast<std::size_t>(y) * stride);
  }
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
