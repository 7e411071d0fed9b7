// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/learned/contrast.hpp"

#include <algorithm>

#include "looptree/common/simd.hpp"
#include "looptree/features/detail/learned/network.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/features/detail/learned/contrast.cpp"
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The sum of a cell's pixels and of their squares.
void SumCell(const std::uint8_t* pixels, std::size_t stride, std::int32_t* sum,
             std::int32_t* squares) {
  const hn::CappedTag<std::int32_t, kLearnedCell / 2> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  auto all = hn::Zero(d);
  auto all_squares = hn::Zero(d);
  for (int y = 0; y < kLearnedCell; ++y) {
    const std::uint8_t* row = pixels + static_cast<std::size_t>(y) * stride;
    for (std::size_t x = 0; x < kLearnedCell; x += hn::Lanes(d)) {
      const auto v = hn::PromoteTo(d, hn::LoadU(d8, row + x));
      all = hn::Add(all, v);
      all_squares = hn::Add(all_squares, hn::Mul(v, v));
    }
  }
  *sum = hn::GetLane(hn::SumOfLanes(d, all));
  *squares = hn::GetLane(hn::SumOfLanes(d, all_squares));
}

/// Half a cell of pixels, whose mean and gain (in 64ths) run from those of one cell to those of the
/// next, of which the first pixel has `start` 64ths.
HWY_INLINE void EvenHalfCell(const std::uint8_t* pixels, CellContrast from, CellContrast to,
                             int start, std::uint8_t* target) {
  constexpr int kHalf = kLearnedCell / 2;
  const hn::CappedTag<std::int32_t, kHalf> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const auto round = hn::Set(d, 1 << 11);
  const auto mean = hn::Add(hn::Set(d, from.mean * 2 * kLearnedCell), round);
  const auto gain = hn::Add(hn::Set(d, from.gain * 2 * kLearnedCell), round);
  const auto mean_step = hn::Set(d, to.mean - from.mean);
  const auto gain_step = hn::Set(d, to.gain - from.gain);
  const auto zero = hn::Set(d, kInputZero);
  const auto most = hn::Set(d, kMostActive);
  for (int x = 0; x < kHalf; x += static_cast<int>(hn::Lanes(d))) {
    const auto part = hn::Add(hn::ShiftLeft<1>(hn::Iota(d, x)), hn::Set(d, start));
    const auto m = hn::ShiftRight<12>(hn::Add(mean, hn::Mul(mean_step, part)));
    const auto g = hn::ShiftRight<12>(hn::Add(gain, hn::Mul(gain_step, part)));
    const auto pixel = hn::ShiftLeft<4>(hn::PromoteTo(d, hn::LoadU(d8, pixels + x)));
    const auto steps =
        hn::ShiftRight<16>(hn::Add(hn::Mul(hn::Sub(pixel, m), g), hn::Set(d, 1 << 15)));
    const auto value = hn::Min(hn::Max(hn::Add(zero, steps), hn::Zero(d)), most);
    hn::StoreU(hn::DemoteTo(d8, value), d8, target + x);
  }
}

void EvenRow(const std::uint8_t* pixels, const CellContrast* cells, int columns,
             std::uint8_t* target) {
  constexpr int kHalf = kLearnedCell / 2;
  for (int half = 0; half < 2 * columns; ++half) {
    const std::ptrdiff_t at = std::ptrdiff_t{half} * kHalf;
    // The middle of a cell lies between its halves.
    const int first = (half + 1) / 2 - 1;
    EvenHalfCell(pixels + at, cells[std::max(first, 0)], cells[std::min(first + 1, columns - 1)],
                 half % 2 == 0 ? kLearnedCell + 1 : 1, target + at);
  }
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(SumCell);
HWY_EXPORT(EvenRow);

void EvenContrast::measure(const ImageView& image) {
  const int columns = image.width / kLearnedCell;
  const int rows = image.height / kLearnedCell;
  sums_.resize(static_cast<std::size_t>(columns) * rows);
  cells_.resize(sums_.size());
  for (int cy = 0; cy < rows; ++cy) {
    for (int cx = 0; cx < columns; ++cx) {
      CellSums& cell = sums_[static_cast<std::size_t>(cy) * columns + cx];
      HWY_DYNAMIC_DISPATCH(SumCell)
      (image.row(cy * kLearnedCell) + std::ptrdiff_t{cx} * kLearnedCell, image.stride, &cell.sum,
       &cell.squares);
    }
  }
  for (int cy = 0; cy < rows; ++cy) {
    for (int cx = 0; cx < columns; ++cx) {
      std::int64_t count = 0;
      std::int64_t sum = 0;
      std::int64_t squares = 0;
      for (int y = std::max(0, cy - 1); y <= std::min(rows - 1, cy + 1); ++y) {
        for (int x = std::max(0, cx - 1); x <= std::min(columns - 1, cx + 1); ++x) {
          const CellSums& cell = sums_[static_cast<std::size_t>(y) * columns + x];
          count += kLearnedCell * kLearnedCell;
          sum += cell.sum;
          squares += cell.squares;
        }
      }
      cells_[static_cast<std::size_t>(cy) * columns + cx] = cell_contrast(count, sum, squares);
    }
  }
}

void EvenContrast::operator()(const ImageView& image, std::uint8_t* target, std::size_t stride) {
  measure(image);
  const int columns = image.width / kLearnedCell;
  const int rows = image.height / kLearnedCell;
  row_.resize(static_cast<std::size_t>(columns));
  for (int y = 0; y < image.height; ++y) {
    const Blend at = blend_of_cells(y, kLearnedCell, rows);
    const CellContrast* above = cells_.data() + static_cast<std::size_t>(at.first) * columns;
    const CellContrast* below = cells_.data() + static_cast<std::size_t>(at.second) * columns;
    const int to_first = 2 * kLearnedCell - at.to_second;
    for (int x = 0; x < columns; ++x) {
      row_[static_cast<std::size_t>(x)] = {above[x].mean * to_first + below[x].mean * at.to_second,
                                           above[x].gain * to_first + below[x].gain * at.to_second};
    }
    HWY_DYNAMIC_DISPATCH(EvenRow)
    (image.row(y), row_.data(), columns, target + static_cast<std::size_t>(y) * stride);
  }
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
