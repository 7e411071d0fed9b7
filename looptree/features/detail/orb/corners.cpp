// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/orb/corners.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "looptree/features/detail/orb/fast_rows.hpp"
#include "looptree/features/detail/orb/harris.hpp"

namespace looptree::detail {
namespace {

constexpr std::uint64_t kPlaceBits = 48;
constexpr std::uint64_t kPlaceMask = (std::uint64_t{1} << kPlaceBits) - 1;

std::uint64_t key_of(int x, int y, int score) {
  const std::uint64_t place = static_cast<std::uint64_t>(y) << 24U | static_cast<unsigned>(x);
  return static_cast<std::uint64_t>(score) << kPlaceBits | (kPlaceMask - place);
}

int score_of(std::uint64_t key) {
  return static_cast<int>(key >> kPlaceBits);
}

Corner corner_of(std::uint64_t key, std::int64_t score) {
  const std::uint64_t place = kPlaceMask - (key & kPlaceMask);
  return {static_cast<int>(place & 0xFFFFFF), static_cast<int>(place >> 24U), score};
}

}  // namespace

bool CornerSearch::better(const Rated& a, const Rated& b) {
  return a.score != b.score ? a.score > b.score : a.place > b.place;
}

void CornerSearch::find(const ImageView& level, const CellGrid& grid, int threshold,
                        std::size_t budget) {
  const std::size_t padded = static_cast<std::size_t>(level.width) + 128;
  for (auto& row : scores_) row.assign(padded, 0);
  thresholds_.assign(padded, 255);
  peaks_.resize(padded);
  column_of_.resize(static_cast<std::size_t>(level.width));
  for (int column = 0; column < grid.columns; ++column) {
    std::fill(column_of_.begin() + grid.column_begin(column),
              column_of_.begin() + grid.column_begin(column + 1),
              static_cast<std::uint16_t>(column));
  }
  limit_ = kCornersPerCell;
  search(level, grid, threshold);
  std::size_t found = 0;
  for (const Cell& cell : cells_) found += cell.keys.size();
  if (found < budget && dropped_) {
    limit_ = std::numeric_limits<std::size_t>::max();
    search(level, grid, threshold);
  }
  rate(level);
  choose(budget);
}

void CornerSearch::search(const ImageView& level, const CellGrid& grid, int threshold) {
  dropped_ = false;
  cells_.resize(static_cast<std::size_t>(grid.columns) * grid.rows);
  for (Cell& cell : cells_) {
    cell.keys.clear();
    cell.threshold = threshold;
  }
  for (int band = 0; band < grid.rows; ++band) search_band(level, grid, band, threshold);
}

void CornerSearch::search_band(const ImageView& level, const CellGrid& grid, int band,
                               int threshold) {
  const int left = kOrbBorder - 1;
  const int right = level.width - kOrbBorder + 1;
  std::fill(thresholds_.begin() + left, thresholds_.begin() + right,
            static_cast<std::uint8_t>(threshold));
  // One row more on either side, for corners to be compared with their neighbours there.
  const int top = grid.row_begin(band) - 1;
  const int bottom = grid.row_begin(band + 1) + 1;
  for (int y = top; y < bottom; ++y) {
    score_row(level, y, left, right, thresholds_.data(), scores_[y % 3].data());
    if (y > top + 1) take_peaks(grid, band, y - 1);
  }
}

void CornerSearch::take_peaks(const CellGrid& grid, int band, int y) {
  const std::uint8_t* scores = scores_[y % 3].data();
  const std::size_t count =
      find_peaks(scores_[(y + 2) % 3].data(), scores, scores_[(y + 1) % 3].data(), kOrbBorder,
                 kOrbBorder + grid.width, peaks_.data());
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<int>(peaks_[i]);
    add(grid, band, x, y, scores[x]);
  }
}

void CornerSearch::add(const CellGrid& grid, int band, int x, int y, int value) {
  const int column = column_of_[static_cast<std::size_t>(x)];
  Cell& cell = cells_[static_cast<std::size_t>(band) * grid.columns + column];
  if (value <= cell.threshold) return;
  const Key key = key_of(x, y, value - 1);
  if (cell.keys.size() < limit_) {
    cell.keys.push_back(key);
    if (cell.keys.size() < limit_) return;
    std::sort(cell.keys.begin(), cell.keys.end(), std::greater<>());
    dropped_ = true;
  } else {
    std::size_t at = limit_ - 1;
    for (; at > 0 && cell.keys[at - 1] < key; --at) cell.keys[at] = cell.keys[at - 1];
    cell.keys[at] = key;
  }
  const int weakest = score_of(cell.keys.back()) + 1;
  if (weakest == cell.threshold) return;
  cell.threshold = weakest;
  raise(grid, band, column);
}

/// Lets the columns of a cell know its threshold. At its edges the lower one of both sides counts:
/// a corner must be compared with all neighbours that score as much.
void CornerSearch::raise(const CellGrid& grid, int band, int column) {
  const auto own = [&](int c) {
    const int known = std::clamp(c, 0, grid.columns - 1);
    return static_cast<std::uint8_t>(
        cells_[static_cast<std::size_t>(band) * grid.columns + known].threshold);
  };
  const int begin = grid.column_begin(column);
  const int end = grid.column_begin(column + 1);
  std::fill(thresholds_.begin() + begin, thresholds_.begin() + end, own(column));
  const std::uint8_t at_begin = std::min(own(column), own(column - 1));
  const std::uint8_t at_end = std::min(own(column), own(column + 1));
  thresholds_[begin - 1] = thresholds_[begin] = at_begin;
  thresholds_[end - 1] = thresholds_[end] = at_end;
}

void CornerSearch::rate(const ImageView& level) {
  for (Cell& cell : cells_) {
    cell.rated.clear();
    for (const Key key : cell.keys) {
      const Corner corner = corner_of(key, 0);
      cell.rated.push_back({harris_score(level, corner.x, corner.y), key & kPlaceMask});
    }
    std::sort(cell.rated.begin(), cell.rated.end(), better);
  }
}

/// The best of every cell, then the second of every cell, ..., as many as there may be.
void CornerSearch::choose(std::size_t budget) {
  chosen_.clear();
  for (std::size_t rank = 0; chosen_.size() < budget; ++rank) {
    const std::size_t before = chosen_.size();
    for (const Cell& cell : cells_) {
      if (rank < cell.rated.size()) chosen_.push_back(cell.rated[rank]);
    }
    if (chosen_.size() == before) break;
    if (chosen_.size() <= budget) continue;
    const auto round = chosen_.begin() + static_cast<std::ptrdiff_t>(before);
    const auto last = chosen_.begin() + static_cast<std::ptrdiff_t>(budget);
    std::nth_element(round, last, chosen_.end(), better);
    chosen_.erase(last, chosen_.end());
  }
  std::sort(chosen_.begin(), chosen_.end(),
            [](const Rated& a, const Rated& b) { return a.place > b.place; });
  corners_.clear();
  for (const Rated& rated : chosen_) corners_.push_back(corner_of(rated.place, rated.score));
}

}  // namespace looptree::detail
