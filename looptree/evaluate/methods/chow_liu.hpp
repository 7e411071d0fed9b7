// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "looptree/evaluate_export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::evaluate {

/// How likely an image shows a word, alone and given that it shows another one.
struct WordDependence {
  static constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();

  /// The word it depends on; kNoParent for one that stands alone.
  std::uint32_t parent = kNoParent;
  double seen = 0;                   ///< probability of the word; in (0, 1)
  double seen_if_parent_is = 0;      ///< given that the parent is seen; `seen` without a parent
  double seen_if_parent_is_not = 0;  ///< given that it is not
};

/// One entry per word of the vocabulary; parents form a forest.
using ChowLiuTree = std::vector<WordDependence>;

struct ChowLiuOptions {
  /// Words that fewer samples show, or all but fewer, stand alone: what they depend on could only
  /// be guessed. At least 1.
  std::size_t min_samples = 2;
};

/// The tree of pairwise dependences nearest to how words occur together in the samples (Chow and
/// Liu, 1968): a spanning tree of the greatest mutual information. Only whether a sample has a word
/// counts. Probabilities are smoothed by one made-up sample: half a word for `seen`, as likely as
/// without the parent for the others. The same for the same samples on every machine up to the last
/// bit of logarithms. Throws Error(invalid_argument) for no samples, a word past the vocabulary or
/// options out of range. Cost: words in the tree squared times samples / 64 (10,000 words and 400
/// samples: about a second), and a bit per word and sample.
LOOPTREE_EVALUATE_EXPORT ChowLiuTree learn_chow_liu(std::span<const Histogram> samples,
                                                    std::uint32_t vocabulary_size,
                                                    const ChowLiuOptions& options = {});

/// The mutual information, in nats, of two words of which `a` and `b` of `samples` samples show one
/// and `both` show both.
LOOPTREE_EVALUATE_EXPORT double mutual_information(std::size_t samples, std::size_t a,
                                                   std::size_t b, std::size_t both);

}  // namespace looptree::evaluate
