// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/histogram/fixed_histogram.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

void check_words(bool empty, std::uint32_t last, std::uint32_t vocabulary_size) {
  require(!empty, ErrorKind::invalid_argument,
          "expected a histogram with at least one word, found none: an image without features (or "
          "with stopped words only) cannot be stored or searched for");
  if (last < vocabulary_size) return;
  throw Error(ErrorKind::invalid_argument,
              "expected words below " + std::to_string(vocabulary_size) +
                  ", the size of the vocabulary; found word " + std::to_string(last));
}

void check_sum(std::uint64_t sum) {
  if (sums_to_one(sum)) return;
  throw Error(ErrorKind::invalid_argument,
              "expected weights that sum to 1, found " +
                  std::to_string(static_cast<double>(sum) / kFixedOne) +
                  "; Histogram::normalized() divides them so");
}

}  // namespace

FixedHistogram::FixedHistogram(const Histogram& histogram, std::uint32_t vocabulary_size) {
  check_words(histogram.empty(), histogram.empty() ? 0 : histogram.words().back().value,
              vocabulary_size);
  words_.resize(histogram.size());
  weights_.resize(histogram.size());
  std::uint64_t sum = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    const FixedWeight weight = to_fixed(histogram.weights()[i]);
    words_[kept] = histogram.words()[i].value;
    weights_[kept] = weight;
    kept += weight != 0 ? 1 : 0;
    sum += weight;
  }
  words_.resize(kept);
  weights_.resize(kept);
  check_sum(sum);
}

FixedHistogram::FixedHistogram(std::vector<std::uint32_t> words, std::vector<FixedWeight> weights,
                               std::uint32_t vocabulary_size)
    : words_(std::move(words)), weights_(std::move(weights)) {
  check_within(vocabulary_size);
  const bool ascending =
      std::adjacent_find(words_.begin(), words_.end(), std::greater_equal<>()) == words_.end();
  const bool positive = std::find(weights_.begin(), weights_.end(), 0u) == weights_.end();
  require(words_.size() == weights_.size() && ascending && positive, ErrorKind::invalid_argument,
          "expected words in strictly ascending order and a weight above zero for each, found "
          "otherwise");
  std::uint64_t sum = 0;
  for (const FixedWeight weight : weights_) sum += weight;
  check_sum(sum);
}

FixedHistogram FixedHistogram::unchecked(std::vector<std::uint32_t> words,
                                         std::vector<FixedWeight> weights) {
  FixedHistogram result;
  result.words_ = std::move(words);
  result.weights_ = std::move(weights);
  return result;
}

void FixedHistogram::check_within(std::uint32_t vocabulary_size) const {
  check_words(empty(), empty() ? 0 : words_.back(), vocabulary_size);
}

Histogram FixedHistogram::histogram() const {
  std::vector<WordId> words(words_.begin(), words_.end());
  std::vector<double> weights(weights_.size());
  std::transform(weights_.begin(), weights_.end(), weights.begin(), from_fixed);
  return {std::move(words), std::move(weights)};
}

FixedWeight intersection(const FixedView& a, const FixedView& b) {
  FixedWeight sum = 0;
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    while (j < b.size() && b.words[j] < a.words[i]) ++j;
    if (j < b.size() && b.words[j] == a.words[i]) sum += std::min(a.weights[i], b.weights[j]);
  }
  return sum;
}

}  // namespace looptree
