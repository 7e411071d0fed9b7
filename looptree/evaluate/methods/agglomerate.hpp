// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "looptree/dataset/word_file.hpp"
#include "looptree/evaluate_export.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/topology.hpp"

namespace looptree::evaluate {

/// What merging two groups of histograms costs.
enum class Linkage {
  /// The mutual information that is lost between groups and words: the agglomerative information
  /// bottleneck (Slonim and Tishby, 1999). Weights are masses: a histogram of twice the sum counts
  /// twice.
  information,
  /// How much the sum of squared distances to the groups' means grows (Ward, 1963). Every histogram
  /// counts once.
  ward,
};

/// Groups of similar histograms, bottom up: starts with every histogram by itself and merges the
/// two groups that cost least, ties to the lower ones, until `groups` are left. Groups are numbered
/// by their first member; nothing bounds their size.
///
/// The fast form: costs of all pairs are computed once, over an inverted index, since only words
/// that both have add to them; a merge computes one row anew, likewise or, for Ward, from the two
/// rows before it; and every group remembers which other is nearest. Throws
/// Error(invalid_argument) if `groups` is 0 or above the number of histograms. Cost: one thread; of
/// n histograms n^2 / 2 costs, 4 n^2 bytes, and for `information` a logarithm per posting a row
/// goes over (2,270 frames of 1,200 words: half a minute; for `ward` 2 s).
LOOPTREE_EVALUATE_EXPORT Groups agglomerate(std::span<const Histogram> histograms,
                                            std::size_t groups, Linkage linkage);

/// The same by the definition, every cost anew before every merge: the oracle. Cost: n^3 costs.
LOOPTREE_EVALUATE_EXPORT Groups agglomerate_plainly(std::span<const Histogram> histograms,
                                                    std::size_t groups, Linkage linkage);

/// A vocabulary of at most `words` words in place of the one the images were quantised with: old
/// words that tell least of where an image was taken, given the others, become one (Fulkerson,
/// Vedaldi and Soatto, 2008). `places[i]` is where image i was taken, numbered from 0. Returns the
/// new word of every old one, numbered by the lowest old word; words that no image has become one.
/// Throws Error(invalid_argument) unless there is one place per image, for words past the
/// vocabulary, or if `words` is 0 or above its size. Cost: as agglomerate() of the vocabulary's
/// words (10,000 words: 400 MB, half a minute).
LOOPTREE_EVALUATE_EXPORT std::vector<WordId> reduce_vocabulary(
    std::span<const Histogram> images, std::span<const std::uint32_t> places,
    std::uint32_t vocabulary_size, std::size_t words);

/// The sequence in the words that `reduced` gives for its own, weighted by `word_weights`, one per
/// new word; without them by what inverse_document_frequency() says. Throws Error(invalid_argument)
/// unless `reduced` has an entry per word of the sequence, each below the number of weights.
LOOPTREE_EVALUATE_EXPORT WordSequence reduce_words(const WordSequence& sequence,
                                                   std::span<const WordId> reduced,
                                                   std::vector<float> word_weights = {});

}  // namespace looptree::evaluate
