// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "looptree/export.hpp"
#include "looptree/histogram/fixed_point.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree {

/// The words and weights of a FixedHistogram that somebody else keeps.
struct FixedView {
  std::span<const std::uint32_t> words;  ///< strictly ascending
  std::span<const FixedWeight> weights;  ///< parallel, none of them zero
  std::size_t size() const { return words.size(); }
};

/// A histogram as an index searches it and a map stores it: checked once against a vocabulary, its
/// weights rounded once to whole multiples of 2^-31 (fixed_point.hpp). Whoever has one need neither
/// check nor round again.
///
/// Immutable once made, so it is safe to share between threads.
class LOOPTREE_EXPORT FixedHistogram {
 public:
  /// Empty: no words.
  FixedHistogram() = default;

  /// Throws Error(invalid_argument) for a histogram that is empty, has a word at or past
  /// `vocabulary_size`, or whose weights do not sum to 1 within 0.001. Words that weigh less than
  /// half a multiple are dropped: they could add nothing to any score. Cost: a pass over the words.
  FixedHistogram(const Histogram& histogram, std::uint32_t vocabulary_size);

  /// From what words() and weights() of another gave, perhaps by way of a file. Throws
  /// Error(invalid_argument) where they are not as FixedView says, or under the conditions above.
  FixedHistogram(std::vector<std::uint32_t> words, std::vector<FixedWeight> weights,
                 std::uint32_t vocabulary_size);

  /// From parts that are known to be sound, which is not checked.
  static FixedHistogram unchecked(std::vector<std::uint32_t> words,
                                  std::vector<FixedWeight> weights);

  std::span<const std::uint32_t> words() const noexcept { return words_; }
  std::span<const FixedWeight> weights() const noexcept { return weights_; }
  std::size_t size() const noexcept { return words_.size(); }
  bool empty() const noexcept { return words_.empty(); }
  FixedView view() const noexcept { return {words_, weights_}; }

  /// Throws Error(invalid_argument) where it is empty or has a word at or past `vocabulary_size`:
  /// for who takes one that was checked against a vocabulary, perhaps another.
  void check_within(std::uint32_t vocabulary_size) const;

  /// The rounded weights as a histogram.
  Histogram histogram() const;

  friend bool operator==(const FixedHistogram&, const FixedHistogram&) = default;

 private:
  std::vector<std::uint32_t> words_;
  std::vector<FixedWeight> weights_;
};

/// The score of two histograms in multiples of 2^-31: the sum of the smaller weights over the
/// common words.
LOOPTREE_EXPORT FixedWeight intersection(const FixedView& a, const FixedView& b);

}  // namespace looptree
