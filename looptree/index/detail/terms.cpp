// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/terms.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree::detail {

OwnedTerms checked_terms(const Histogram& histogram, std::uint32_t vocabulary_size) {
  require(!histogram.empty(), ErrorKind::invalid_argument,
          "expected a histogram with at least one word, found none: an image without features (or "
          "with stopped words only) cannot be stored or searched for");
  if (histogram.words().back().value >= vocabulary_size) {
    throw Error(ErrorKind::invalid_argument, "expected words below " +
                                                 std::to_string(vocabulary_size) +
                                                 ", the size of the vocabulary; found word " +
                                                 std::to_string(histogram.words().back().value));
  }
  if (const double sum = histogram.sum(); !(std::abs(sum - 1) <= 0.001)) {
    throw Error(ErrorKind::invalid_argument, "expected weights that sum to 1, found " +
                                                 std::to_string(sum) +
                                                 "; Histogram::normalized() divides them so");
  }
  OwnedTerms terms;
  terms.words.reserve(histogram.size());
  terms.weights.reserve(histogram.size());
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    const FixedWeight weight = to_fixed(histogram.weights()[i]);
    if (weight == 0) continue;  // below half a step: it could add nothing to any score
    terms.words.push_back(histogram.words()[i].value);
    terms.weights.push_back(weight);
  }
  return terms;
}

Histogram to_histogram(const Terms& terms) {
  std::vector<WordId> words;
  std::vector<double> weights;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    words.emplace_back(terms.words[i]);
    weights.push_back(from_fixed(terms.weights[i]));
  }
  return {std::move(words), std::move(weights)};
}

FixedWeight intersect(const Terms& a, const Terms& b) {
  FixedWeight sum = 0;
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    while (j < b.size() && b.words[j] < a.words[i]) ++j;
    if (j < b.size() && b.words[j] == a.words[i]) sum += std::min(a.weights[i], b.weights[j]);
  }
  return sum;
}

}  // namespace looptree::detail
