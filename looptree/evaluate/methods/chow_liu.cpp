// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/methods/chow_liu.hpp"

#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree::evaluate {
namespace {

constexpr std::size_t kBits = 64;

[[noreturn]] void refuse_word(WordId word, std::uint32_t vocabulary_size) {
  throw Error(ErrorKind::invalid_argument, "expected words below " +
                                               std::to_string(vocabulary_size) + ", found " +
                                               std::to_string(word.value));
}

/// n ln n, for whole n up to the number of samples.
std::vector<double> entropy_terms(std::size_t samples) {
  std::vector<double> terms(samples + 1);
  for (std::size_t n = 1; n <= samples; ++n) {
    terms[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
  }
  return terms;
}

/// Samples times the mutual information of two words.
double information(const std::vector<double>& terms, std::size_t a, std::size_t b,
                   std::size_t both) {
  const std::size_t samples = terms.size() - 1;
  const double joint =
      terms[both] + terms[a - both] + terms[b - both] + terms[samples - a - b + both];
  return joint - terms[a] - terms[samples - a] - terms[b] - terms[samples - b] + terms[samples];
}

/// Which samples show which word: a row of bits per word.
class Occurrences {
 public:
  Occurrences(std::span<const Histogram> samples, std::uint32_t vocabulary_size)
      : stride_((samples.size() + kBits - 1) / kBits),
        bits_(stride_ * vocabulary_size),
        counts_(vocabulary_size) {
    for (std::size_t s = 0; s < samples.size(); ++s) {
      for (const WordId word : samples[s].words()) {
        if (word.value >= vocabulary_size) refuse_word(word, vocabulary_size);
        bits_[word.value * stride_ + s / kBits] |= std::uint64_t{1} << (s % kBits);
        ++counts_[word.value];
      }
    }
  }

  std::size_t count(std::uint32_t word) const { return counts_[word]; }

  std::size_t both(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t* x = &bits_[a * stride_];
    const std::uint64_t* y = &bits_[b * stride_];
    int count = 0;
    for (std::size_t i = 0; i < stride_; ++i) count += std::popcount(x[i] & y[i]);
    return static_cast<std::size_t>(count);
  }

 private:
  std::size_t stride_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> counts_;
};

/// A word that is not in the tree yet, and the word of the tree that tells most about it.
struct Outside {
  std::uint32_t word = 0;
  std::uint32_t parent = WordDependence::kNoParent;
  double information = -1;
};

/// Prim's algorithm: the tree grows by the word that it tells most about; ties to the lower word.
void span(const Occurrences& occurrences, std::size_t samples, std::vector<Outside> outside,
          ChowLiuTree& tree) {
  const std::vector<double> terms = entropy_terms(samples);
  std::size_t next = 0;
  while (!outside.empty()) {
    const Outside joined = outside[next];
    tree[joined.word].parent = joined.parent;
    outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(next));
    const std::size_t count = occurrences.count(joined.word);
    next = 0;
    for (std::size_t i = 0; i < outside.size(); ++i) {
      Outside& other = outside[i];
      const double told = information(terms, count, occurrences.count(other.word),
                                      occurrences.both(joined.word, other.word));
      if (told > other.information) {
        other.information = told;
        other.parent = joined.word;
      }
      if (other.information > outside[next].information) next = i;
    }
  }
}

}  // namespace

double mutual_information(std::size_t samples, std::size_t a, std::size_t b, std::size_t both) {
  if (both > a || both > b || a > samples || b > samples || a + b - both > samples) {
    throw Error(ErrorKind::invalid_argument, "expected counts of two words that fit " +
                                                 std::to_string(samples) + " samples, found " +
                                                 std::to_string(a) + ", " + std::to_string(b) +
                                                 " and " + std::to_string(both) + " of both");
  }
  if (samples == 0) return 0;
  return information(entropy_terms(samples), a, b, both) / static_cast<double>(samples);
}

ChowLiuTree learn_chow_liu(std::span<const Histogram> samples, std::uint32_t vocabulary_size,
                           const ChowLiuOptions& options) {
  require(!samples.empty(), ErrorKind::invalid_argument, "expected samples, found none");
  require(options.min_samples > 0, ErrorKind::invalid_argument,
          "expected words of at least 1 sample, found 0");
  const Occurrences occurrences(samples, vocabulary_size);
  const auto total = static_cast<double>(samples.size());
  ChowLiuTree tree(vocabulary_size);
  std::vector<Outside> dependent;
  for (std::uint32_t word = 0; word < vocabulary_size; ++word) {
    const std::size_t count = occurrences.count(word);
    tree[word].seen = (static_cast<double>(count) + 0.5) / (total + 1);
    tree[word].seen_if_parent_is = tree[word].seen_if_parent_is_not = tree[word].seen;
    if (count >= options.min_samples && count + options.min_samples <= samples.size()) {
      dependent.push_back({word});
    }
  }
  span(occurrences, samples.size(), std::move(dependent), tree);
  for (std::uint32_t word = 0; word < vocabulary_size; ++word) {
    WordDependence& own = tree[word];
    if (own.parent == WordDependence::kNoParent) continue;
    const auto parent = static_cast<double>(occurrences.count(own.parent));
    const auto both = static_cast<double>(occurrences.both(word, own.parent));
    const auto alone = static_cast<double>(occurrences.count(word)) - both;
    own.seen_if_parent_is = (both + own.seen) / (parent + 1);
    own.seen_if_parent_is_not = (alone + own.seen) / (total - parent + 1);
  }
  return tree;
}

}  // namespace looptree::evaluate
