// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/features/image_view.hpp"

namespace looptree::detail {

/// Makes images of one size smaller, to another, pixel for pixel as cv::resize does with
/// INTER_LINEAR_EXACT. The size falls by less than a factor of 1.7 and stays above 16. What depends
/// on the sizes alone is prepared once.
class Shrink {
 public:
  Shrink(int from_width, int from_height, int to_width, int to_height);

  /// Rows of `target` lie `stride` bytes apart and hold at least 64 more than a row has pixels.
  void operator()(const ImageView& from, std::uint8_t* target, std::size_t stride);

  /// Eight pixels of the result and the 16 of the image among which they lie.
  struct Group {
    int first;                  ///< of the 16 pixels
    std::uint8_t pairs[16];     ///< the two pixels of every result, counted from the first
    std::uint16_t to_first[8];  ///< weights of the two, 256 in all
    std::uint16_t to_second[8];
  };

 private:
  const std::uint16_t* sums_of(const ImageView& from, int row);

  int from_height_;
  int to_height_;
  std::vector<Group> groups_;
  std::vector<std::uint16_t> sums_[2];  ///< sums along two rows of the image
  int row_of_[2] = {-1, -1};
};

}  // namespace looptree::detail
