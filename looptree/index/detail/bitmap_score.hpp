// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "looptree/histogram/fixed_point.hpp"
#include "looptree/index/detail/scratch.hpp"
#include "looptree/index/detail/terms.hpp"

namespace looptree::detail {

/// A word of an image that occurs `count` times weighs this much. What no image weighs, but a
/// damaged file may say, becomes the largest number there is.
inline FixedWeight weight_of(std::uint32_t count, double unit, double factor) {
  constexpr double kLargest = ~FixedWeight{0};
  return static_cast<FixedWeight>(std::min(count * unit * factor + 0.5, kLargest));
}

/// What a word that occurs `count` times adds to a score beyond one that occurs once, where the
/// query has `asked` of it.
inline FixedWeight gain_of(std::uint32_t count, double unit, double factor, FixedWeight asked) {
  return std::min(asked, weight_of(count, unit, factor)) -
         std::min(asked, weight_of(1, unit, factor));
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

/// A query per word of the vocabulary.
struct DenseQuery {
  const std::uint64_t* bits;
  const FixedWeight* weights;
  const double* units;
};

/// The words of a query side by side, so that the bits which a frame has of them are too: word by
/// word of the bitmap they are extracted and pushed together into lanes, 64 to a group. A machine
/// with wide vectors then needs a few instructions for eight or sixteen words. Making one takes
/// about as long as scoring two frames.
class CompactQuery {
 public:
  CompactQuery(const Terms& query, const DenseQuery& dense, std::size_t vocabulary_size);

  static constexpr std::uint32_t kLanes = 64;
  /// Words of the bitmap that have bits for its lanes. The first may have others, for lanes of the
  /// group before, and the last for those of the next.
  struct Group {
    std::uint32_t first;
    std::uint32_t last;     ///< the one behind it
    std::uint32_t skipped;  ///< bits of the first that are another group's; below 64
  };
  const ScratchVector<Group>& groups() const { return groups_; }
  /// Per word of the bitmap: the lane of its first bit, in the group of that.
  const std::uint8_t* shifts() const { return shifts_.data(); }
  /// Per lane; 0 behind the last word.
  const FixedWeight* weights() const { return weights_.data(); }
  const double* units() const { return units_.data(); }

 private:
  ScratchVector<Group> groups_;
  ScratchVector<std::uint8_t> shifts_;
  ScratchVector<FixedWeight> weights_;
  ScratchVector<double> units_;
};

/// Whether score_bitmap() gains from a CompactQuery at the SIMD level in use.
bool compact_pays();
/// Whether this machine extracts bits (pext) in a cycle or two; some take hundreds.
bool extracts_bits_fast();

/// Sum of minima of a frame and a query. `compact` may be null: the sum is the same.
FixedWeight score_bitmap(const BitmapFrame& frame, const DenseQuery& query,
                         const CompactQuery* compact);

/// By how much the words that a frame has more than once miss what the query has of them, all
/// together: a bound on the frame's score that grants them in full is too high by that. Takes a
/// third of the time of the score.
FixedWeight lack_of_repeats(const BitmapFrame& frame, const DenseQuery& query);

}  // namespace looptree::detail
