// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/common/weighting.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// What the weights of a histogram are divided by.
enum class Norm {
  l1,    ///< their sum: what the index and most scores ask for
  l2,    ///< their Euclidean length
  size,  ///< the number of distinct words, for tf and tf_idf; nothing for idf and binary
};

/// The words of one image with their weights: sparse, sorted by word, every weight above zero.
///
/// Immutable once made, so it is safe to share between threads. Weights are double, because some of
/// the pairwise scores lose half their digits in float; an index stores them far more compactly.
class LOOPTREE_EXPORT Histogram {
 public:
  /// Empty: no words. An index refuses to store or query it.
  Histogram() = default;

  /// From words in strictly ascending order and one finite weight >= 0 for each; words of weight
  /// zero are dropped. Nothing is normalised. Throws Error(invalid_argument) otherwise.
  Histogram(std::vector<WordId> words, std::vector<double> weights);

  std::span<const WordId> words() const noexcept { return words_; }
  std::span<const double> weights() const noexcept { return weights_; }
  std::size_t size() const noexcept { return words_.size(); }
  bool empty() const noexcept { return words_.empty(); }

  /// The sum of the weights, in ascending order of words; 1 up to rounding after Norm::l1.
  double sum() const noexcept;

  /// The same words with their weights divided by the norm; an empty histogram stays empty.
  /// Norm::size divides by size().
  Histogram normalized(Norm norm = Norm::l1) const;

  friend bool operator==(const Histogram&, const Histogram&) = default;

 private:
  std::vector<WordId> words_;
  std::vector<double> weights_;
};

struct HistogramOptions {
  Weighting weighting = Weighting::tf_idf;
  Norm norm = Norm::l1;
};

/// The histogram of an image from the words of its descriptors, in any order, repeated as they
/// occur.
///
/// `word_weights` holds one weight per word of the vocabulary, its inverse document frequency. A
/// word of weight zero is stopped: it is left out under every weighting. Weights are accumulated
/// and normalised in the order DBoW2 uses, so its vectors are reproduced. No words, or only stopped
/// ones, give an empty histogram. Throws Error(invalid_argument) for a word past the table or for a
/// negative or non-finite weight. Cost: a sort of the words.
LOOPTREE_EXPORT Histogram make_histogram(std::span<const WordId> words,
                                         std::span<const float> word_weights,
                                         HistogramOptions options = {});
LOOPTREE_EXPORT Histogram make_histogram(std::span<const WordId> words,
                                         std::span<const double> word_weights,
                                         HistogramOptions options = {});

}  // namespace looptree
