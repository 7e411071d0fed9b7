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
  int score;  ///< of FAST: the largest threshold at which it is a corner
};

/// Finds the corners of a level that are kept, and no others if it can help it: a cell that has
/// found as many as it may give looks only for stronger ones from then on. A cell may give twice
/// its even part at first; only where that leaves the budget unfilled, and cells had more, the
/// level is searched again without that limit. Keeps its memory for the next level.
class CornerSearch {
 public:
  /// At most `budget` corners that score at least `threshold`, spread over the grid, by row and
  /// column. The level is 160 pixels wide, or its rows have 64 readable bytes behind them.
  void find(const ImageView& level, const CellGrid& grid, int threshold, std::size_t budget);
  const std::vector<Corner>& corners() const { return corners_; }

 private:
  /// A corner that orders by strength: score, then the place that comes first, both in one number.
  using Key = std::uint64_t;

  struct Cell {
    std::vector<Key> keys;  ///< in falling order once there are `limit_` of them
    int threshold = 0;      ///< only corners that score more are of use
  };

  void search(const ImageView& level, const CellGrid& grid, int threshold);
  void search_band(const ImageView& level, const CellGrid& grid, int band, int threshold);
  void take_peaks(const CellGrid& grid, int band, int y);
  void add(const CellGrid& grid, int band, int x, int y, int value);
  void raise(const CellGrid& grid, int band, int column);
  void choose(std::size_t budget);

  std::size_t limit_ = 0;    ///< of corners in a cell
  bool dropped_ = false;     ///< whether a cell reached it
  std::vector<Cell> cells_;  ///< row by row
  std::vector<std::uint16_t> column_of_;
  std::vector<std::uint8_t> thresholds_;  ///< by column of pixels
  std::vector<std::uint8_t> scores_[3];   ///< of three rows, by row number modulo 3
  std::vector<std::uint32_t> peaks_;
  std::vector<Key> chosen_;
  std::vector<Corner> corners_;
};

}  // namespace looptree::detail
