// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/terms.hpp"

#include <algorithm>
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
  OwnedTerms terms;
  terms.words.resize(histogram.size());
  terms.weights.resize(histogram.size());
  std::uint64_t sum = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    const FixedWeight weight = to_fixed(histogram.weights()[i]);
    terms.words[kept] = histogram.words()[i].value;
    terms.weights[kept] = weight;
    sum += weight;
    kept += weight != 0 ? 1 : 0;  // below half a step it could add nothing to any score
  }
  terms.words.resize(kept);
  terms.weights.resize(kept);
  constexpr std::uint64_t kTolerance = kFixedOne / 1000;
  if (sum + kTolerance < kFixedOne || sum > kFixedOne + kTolerance) {
    throw Error(ErrorKind::invalid_argument, "expected weights that sum to 1, found " +
                                                 std::to_string(histogram.sum()) +
                                                 "; Histogram::normalized() divides them so");
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
