// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace looptree::detail {

/// The activations of a layer: for each cell its channels, cells row by row, with a frame around
/// them as wide as a cell, so that a 3 x 3 kernel need not ask where the map ends.
class ActiveMap {
 public:
  /// Every value becomes `outside`, unless the map has this size already: then all stay. Rows are
  /// followed by 64 bytes that can be read.
  void prepare(int columns, int rows, int channels, std::uint8_t outside = 0) {
    if (columns == width_ && rows == height_ && channels == channels_) return;
    width_ = columns;
    height_ = rows;
    channels_ = channels;
    stride_ = (static_cast<std::size_t>(columns + 2) * channels + 63) / 64 * 64;
    bytes_.assign(stride_ * static_cast<std::size_t>(rows + 2) + 64, outside);
  }

  int width() const { return width_; }
  int height() const { return height_; }
  int channels() const { return channels_; }
  std::size_t stride() const { return stride_; }  ///< bytes from row to row
  /// The first channel of the first cell of a row, from -1 to height(). The cell before it can be
  /// read, too.
  std::uint8_t* row(int y) {
    return bytes_.data() + stride_ * static_cast<std::size_t>(y + 1) + channels_;
  }
  const std::uint8_t* row(int y) const { return const_cast<ActiveMap*>(this)->row(y); }
  std::size_t memory() const { return bytes_.capacity(); }

 private:
  int width_ = 0;
  int height_ = 0;
  int channels_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace looptree::detail
