// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/terms.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/index/detail/round_weights.hpp"

namespace looptree::detail {
namespace {

/// A word below half a step could add nothing to any score.
void drop_zeros(OwnedTerms& terms) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.words.size(); ++i) {
    terms.words[kept] = terms.words[i];
    terms.weights[kept] = terms.weights[i];
    kept += terms.weights[i] != 0 ? 1 : 0;
  }
  terms.words.resize(kept);
  terms.weights.resize(kept);
}

}  // namespace

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
  std::transform(histogram.words().begin(), histogram.words().end(), terms.words.begin(),
                 [](WordId word) { return word.value; });
  const auto [sum, zeros] = round_weights(histogram.weights(), terms.weights.data());
  if (zeros > 0) drop_zeros(terms);
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
