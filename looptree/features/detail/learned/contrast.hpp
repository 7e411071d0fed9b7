// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/features/detail/learned/learned_geometry.hpp"
#include "looptree/features/image_view.hpp"

namespace looptree::detail {

/// Makes the contrast of an image even, everywhere by that of the 96 x 96 pixels around it. Keeps
/// its memory for the next image; one thread at a time.
class EvenContrast {
 public:
  /// The image has whole cells of 32 x 32 pixels. Rows of `target` lie `stride` bytes apart.
  void operator()(const ImageView& image, std::uint8_t* target, std::size_t stride);

 private:
  struct CellSums {
    std::int32_t sum;
    std::int32_t squares;
  };
  void measure(const ImageView& image);

  std::vector<CellSums> sums_;
  std::vector<CellContrast> cells_;
  std::vector<CellContrast> row_;  ///< between two rows of cells, in 64ths
};

}  // namespace looptree::detail
