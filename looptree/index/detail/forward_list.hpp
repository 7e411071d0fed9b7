// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "looptree/index/detail/terms.hpp"

namespace looptree::detail {

/// What one occurrence of a word weighs before normalisation (its idf), for every word. An image's
/// weight of a word is then a small whole number (how often it occurs) times this, times one factor
/// for the whole image. Everything compact in the index rests on that; nothing exact does: weights
/// that do not follow it are stored and scored just as well, only in more space.
class WordUnits {
 public:
  /// An empty table means 1 for every word; so does an entry that is not a positive number.
  WordUnits(std::span<const float> word_weights, std::uint32_t vocabulary_size);

  std::uint32_t words() const { return static_cast<std::uint32_t>(units_.size()); }
  double operator[](std::uint32_t word) const { return units_[word]; }
  double inverse(std::uint32_t word) const { return inverses_[word]; }
  std::size_t bytes() const { return (units_.capacity() + inverses_.capacity()) * sizeof(double); }

 private:
  std::vector<double> units_;
  std::vector<double> inverses_;
};

/// How the weights of one image split into units.
struct Factors {
  /// A word that occurs once weighs at most unit * scale. The least such factor, give or take 0.1%.
  double scale = 0;
  /// Per term: whether it weighs more than that.
  std::vector<std::uint8_t> heavy;
  /// Per term: how often it occurs, were it all whole numbers.
  std::vector<std::uint32_t> counts;
};

/// The largest weight that is not heavy: what bounds are made of, so both sides compute it here.
inline double light_limit(double unit, double scale) {
  return unit * scale;
}

Factors factorize(const Terms& terms, const WordUnits& units);

/// The terms of one frame in about 1.2 bytes a word: gaps between words, occurrences where there is
/// more than one, and one number to turn them into weights. Where that does not give back every
/// weight exactly, the weights follow in full.
class ForwardList {
 public:
  ForwardList() = default;
  ForwardList(const Terms& terms, const Factors& factors, const WordUnits& units);

  bool empty() const { return data_ == nullptr; }
  std::size_t bytes() const { return size_; }
  OwnedTerms decode(const WordUnits& units) const;

  /// Sum of minima with a query laid out as one weight per word of the vocabulary.
  FixedWeight score(const FixedWeight* query, const WordUnits& units) const;
  /// The same with a sorted query, for vocabularies too large to lay out.
  FixedWeight score(const Terms& query, const WordUnits& units) const;

 private:
  template <typename Visit>
  void walk(const WordUnits& units, Visit visit) const;

  std::unique_ptr<std::uint8_t[]> data_;
  std::uint32_t size_ = 0;
  std::uint32_t terms_ = 0;
  std::uint32_t repeats_ = 0;  // where the repetition counts (or the weights) start in data_
  bool raw_ = false;
  double factor_ = 0;
};

}  // namespace looptree::detail
