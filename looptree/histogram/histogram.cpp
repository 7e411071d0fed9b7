// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/histogram/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_argument, message);
}

void check_weight(double weight, WordId word) {
  if (std::isfinite(weight) && weight >= 0) return;
  refuse("expected a finite weight >= 0 for word " + std::to_string(word.value) + ", found " +
         std::to_string(weight));
}

double l2_length(std::span<const double> weights) {
  double squares = 0;
  for (const double weight : weights) squares += weight * weight;
  return std::sqrt(squares);
}

bool counts_occurrences(Weighting weighting) {
  return weighting == Weighting::tf_idf || weighting == Weighting::tf;
}

bool uses_word_weight(Weighting weighting) {
  return weighting == Weighting::tf_idf || weighting == Weighting::idf;
}

template <typename Real>
Histogram accumulate(std::span<const WordId> words, std::span<const Real> word_weights,
                     HistogramOptions options) {
  std::vector<WordId> sorted(words.begin(), words.end());
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty() && sorted.back().value >= word_weights.size()) {
    refuse("expected words below " + std::to_string(word_weights.size()) +
           ", the size of the vocabulary; found word " + std::to_string(sorted.back().value));
  }
  std::vector<WordId> distinct;
  std::vector<double> weights;
  for (const WordId word : sorted) {
    const double word_weight = static_cast<double>(word_weights[word.value]);
    check_weight(word_weight, word);
    if (word_weight == 0) continue;
    const double one = uses_word_weight(options.weighting) ? word_weight : 1.0;
    if (distinct.empty() || distinct.back() != word) {
      distinct.push_back(word);
      weights.push_back(one);
    } else if (counts_occurrences(options.weighting)) {
      weights.back() += one;  // DBoW2 adds rather than multiplies: the last bit depends on it
    }
  }
  Histogram raw(std::move(distinct), std::move(weights));
  if (options.norm == Norm::size && !counts_occurrences(options.weighting)) return raw;
  return raw.normalized(options.norm);
}

}  // namespace

Histogram::Histogram(std::vector<WordId> words, std::vector<double> weights) {
  if (words.size() != weights.size()) {
    refuse("expected one weight per word, found " + std::to_string(words.size()) + " words and " +
           std::to_string(weights.size()) + " weights");
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    check_weight(weights[i], words[i]);
    if (i > 0 && words[i] <= words[i - 1]) {
      refuse("expected words in strictly ascending order, found word " +
             std::to_string(words[i].value) + " after word " + std::to_string(words[i - 1].value));
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (weights[i] == 0) continue;
    words[kept] = words[i];
    weights[kept++] = weights[i];
  }
  words.resize(kept);
  weights.resize(kept);
  words_ = std::move(words);
  weights_ = std::move(weights);
}

double Histogram::sum() const noexcept {
  double total = 0;
  for (const double weight : weights_) total += weight;
  return total;
}

Histogram Histogram::normalized(Norm norm) const {
  Histogram result = *this;
  if (empty()) return result;
  double length = static_cast<double>(size());
  if (norm == Norm::l1) length = sum();
  if (norm == Norm::l2) length = l2_length(weights_);
  for (double& weight : result.weights_) weight /= length;
  return result;
}

Histogram make_histogram(std::span<const WordId> words, std::span<const float> word_weights,
                         HistogramOptions options) {
  return accumulate(words, word_weights, options);
}

Histogram make_histogram(std::span<const WordId> words, std::span<const double> word_weights,
                         HistogramOptions options) {
  return accumulate(words, word_weights, options);
}

}  // namespace looptree
