// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/features/detail/orb_levels.hpp"
#include "looptree/features/image_view.hpp"

namespace looptree::detail {

struct Corner {
  int x;
  int y;
  std::int64_t score;  ///< by Harris
};

/// Finds the corners of a level that are kept, and scores no others by Harris: a cell enters the
/// kCornersPerCell with the highest FAST scores, and once it has as many it looks only for stronger
/// ones. Only where all of them together leave the budget unfilled, and cells had more, the level
/// is searched again without that limit. Of those that entered, Harris' score says which are
/// kept. Keeps its memory for the next level.
class CornerSearch {
 public:
  /// At most `budget` corners that score at least `threshold`, spread over the grid, by row and
  /// column. The level is 160 pixels wide, or its rows have 64 readable bytes behind them.
  void find(const ImageView& level, const CellGrid& grid, int threshold, std::size_t budget);
  const std::vector<Corner>& corners() const { return corners_; }

 private:
  /// A corner that orders by FAST score, then by the place that comes first, both in one number.
  using Key = std::uint64_t;
  /// One with its score by Harris.
  struct Rated {
    std::int64_t score;
    Key place;  ///< the key without its FAST score
  };
  /// By Harris' score, then by the place that comes first.
  static bool better(const Rated& a, const Rated& b);

  struct Cell {
    std::vector<Key> keys;     ///< in falling order once there are `limit_` of them
    std::vector<Rated> rated;  ///< the same corners, best first
    int threshold = 0;         ///< only corners that score more are of use
  };

  void search(const ImageView& level, const CellGrid& grid, int threshold);
  void search_band(const ImageView& level, const CellGrid& grid, int band, int threshold);
  void take_peaks(const CellGrid& grid, int band, int y);
  void add(const CellGrid& grid, int band, int x, int y, int value);
  void raise(const CellGrid& grid, int band, int column);
  void rate(const ImageView& level);
  void choose(std::size_t budget);

  std::size_t limit_ = 0;    ///< of corners in a cell
  bool dropped_ = false;     ///< whether a cell reached it
  std::vector<Cell> cells_;  ///< row by row
  std::vector<std::uint16_t> column_of_;
  std::vector<std::uint8_t> thresholds_;  ///< by column of pixels
  std::vector<std::uint8_t> scores_[3];   ///< of three rows, by row number modulo 3
  std::vector<std::uint32_t> peaks_;
  std::vector<Rated> chosen_;
  std::vector<Corner> corners_;
};

}  // namespace looptree::detail
