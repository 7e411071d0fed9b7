// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/learned/score_peaks.hpp"

#include <algorithm>

#include "looptree/common/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/features/detail/learned/score_peaks.cpp"
#include <hwy/foreach_target.h>  // includes this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace looptree::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rows are a multiple of 32 scores long; what is found is read from `left` to `right` only.
using D = hn::CappedTag<std::int16_t, kLearnedCell>;

/// The largest of five rows, column by column.
void LargestDown(const std::int16_t* top, std::size_t stride, int width, std::int16_t* target) {
  const D d;
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d))) {
    auto most = hn::LoadU(d, top + x);
    for (std::size_t i = 1; i < 5; ++i) most = hn::Max(most, hn::LoadU(d, top + i * stride + x));
    hn::StoreU(most, d, target + x);
  }
}

/// Columns from `left` to `right` whose score is above the threshold and not less than the largest
/// of five columns; returns how many. `largest` has 32 readable values before and behind it.
std::size_t FindLargest(const std::int16_t* row, const std::int16_t* largest, int left, int right,
                        std::int16_t threshold, std::int32_t* columns) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  std::int32_t* out = columns;
  for (int x = left / lanes * lanes; x < right; x += lanes) {
    const auto own = hn::LoadU(d, row + x);
    const auto above = hn::Gt(own, hn::Set(d, threshold));
    if (HWY_LIKELY(hn::AllFalse(d, above))) continue;
    auto most = hn::LoadU(d, largest + x - 2);
    for (int i = -1; i <= 2; ++i) most = hn::Max(most, hn::LoadU(d, largest + x + i));
    const auto found = hn::And(above, hn::Eq(own, most));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, found, bits);
    for (int i = 0; i < lanes; ++i) {
      if ((bits[i / 8] >> (i % 8) & 1) == 0) continue;
      if (x + i >= left && x + i < right) *out++ = x + i;
    }
  }
  return static_cast<std::size_t>(out - columns);
}

}  // namespace looptree::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {
namespace {

HWY_EXPORT(LargestDown);
HWY_EXPORT(FindLargest);

/// Whether a score as large lies before it.
bool is_repeated(const ScoreMap& map, int x, int y) {
  const std::int16_t own = map.row(y)[x];
  for (int dy = -2; dy <= 0; ++dy) {
    const std::int16_t* row = map.row(y + dy) + x;
    for (int dx = -2; dx <= (dy < 0 ? 2 : -1); ++dx) {
      if (row[dx] == own) return true;
    }
  }
  return false;
}

Keypoint keypoint_at(const ScoreMap& map, int x, int y) {
  const std::int16_t* row = map.row(y) + x;
  const int own = row[0];
  Keypoint point;
  point.x = static_cast<float>(x) + parabola_top(row[-1], own, row[1]);
  point.y = static_cast<float>(y) + parabola_top(map.row(y - 1)[x], own, map.row(y + 1)[x]);
  point.size = 2 * kFineCell;
  point.response = static_cast<float>(own) * kScoreUnit;
  return point;
}

}  // namespace

void find_score_peaks(const ScoreMap& map, const LearnedGeometry& geometry, int threshold,
                      std::vector<std::int16_t>& scratch, std::vector<Keypoint>& peaks) {
  peaks.clear();
  // Whatever is not above the least score is none.
  if (threshold >= 32767) return;
  const auto least = static_cast<std::int16_t>(std::max(threshold, -32768));
  scratch.assign(static_cast<std::size_t>(map.width) + std::size_t{2} * kLearnedCell, 0);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(map.width));
  std::int16_t* largest = scratch.data() + kLearnedCell;
  const int right = geometry.width - kLearnedBorder;
  for (int y = kLearnedBorder; y < geometry.height - kLearnedBorder; ++y) {
    HWY_DYNAMIC_DISPATCH(LargestDown)
    (map.row(y - 2), static_cast<std::size_t>(map.width), map.width, largest);
    const std::size_t count = HWY_DYNAMIC_DISPATCH(FindLargest)(map.row(y), largest, kLearnedBorder,
                                                                right, least, columns.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_repeated(map, columns[i], y)) peaks.push_back(keypoint_at(map, columns[i], y));
    }
  }
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
