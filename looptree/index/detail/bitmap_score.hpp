// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "looptree/histogram/fixed_point.hpp"

namespace looptree::detail {

/// A word of an image that occurs `count` times weighs this much.
inline FixedWeight weight_of(std::uint32_t count, double unit, double factor) {
  return static_cast<FixedWeight>(count * unit * factor + 0.5);
}

/// A frame as a bitmap over the vocabulary, and the words that occur in it more than once: each two
/// bytes of word and one of occurrences less two.
struct BitmapFrame {
  const std::uint8_t* bits;
  std::size_t bytes;  ///< a multiple of eight
  const std::uint8_t* repeats;
  std::size_t repeated;
  double factor;
};

/// Sum of minima with a query given by bits and by weights, both per word of the vocabulary.
FixedWeight score_bitmap(const BitmapFrame& frame, const std::uint64_t* query_bits,
                         const FixedWeight* query_weights, const double* units);

}  // namespace looptree::detail
