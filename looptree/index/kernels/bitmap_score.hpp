// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/index/core/workspace.hpp"

namespace looptree::detail {

/// The largest vocabulary whose frames may be stored as bitmaps.
inline constexpr std::uint32_t kBitmapWords = 1u << 16;

/// A frame as a bitmap over the vocabulary, and its repeated words: each two bytes of word and one
/// of tf - 2.
struct BitmapFrame {
  const std::uint8_t* bits;
  std::size_t bytes;  ///< a multiple of eight
  const std::uint8_t* repeats;
  std::size_t repeated;  ///< how many words are
  double factor;         ///< turns tf x idf into weights
};

/// A query as tables over the vocabulary.
struct DenseQuery {
  const std::uint64_t* bits;
  const FixedWeight* weights;  ///< good where the word's bit is set
  const double* idf;
};

/// The words of a query side by side, so that the bits which a frame has of them are too: word by
/// word of the bitmap they are extracted and pushed together into lanes, 64 to a group. A machine
/// with wide vectors then needs a few instructions for eight or sixteen words. Making one takes
/// about as long as scoring two frames.
class CompactQuery {
 public:
  CompactQuery(const FixedView& query, const DenseQuery& dense, std::size_t vocabulary_size,
               Workspace& workspace);

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
  const double* idf() const { return idf_.data(); }

 private:
  ScratchVector<Group> groups_;
  ScratchVector<std::uint8_t> shifts_;
  ScratchVector<FixedWeight> weights_;
  ScratchVector<double> idf_;
};

/// Whether score_bitmap() gains from a CompactQuery at the SIMD level in use.
bool compact_pays();
/// Whether this machine extracts bits (pext) in a cycle or two; some take hundreds.
bool extracts_bits_fast();

/// The score of a frame: the sum of the smaller weights. `compact` may be null: the sum is the
/// same.
FixedWeight score_bitmap(const BitmapFrame& frame, const DenseQuery& query,
                         const CompactQuery* compact, Workspace& workspace);

}  // namespace looptree::detail
