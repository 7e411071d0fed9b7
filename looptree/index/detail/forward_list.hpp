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
  WordUnits(std::span<const double> word_weights, std::uint32_t vocabulary_size);

  std::uint32_t words() const { return static_cast<std::uint32_t>(units_.size()); }
  double operator[](std::uint32_t word) const { return units_[word]; }
  const double* data() const { return units_.data(); }
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

/// A query as one frame after another is scored with it.
class QueryTable {
 public:
  /// `query` outlives the table. Uses memory of the calling thread, which has one table at a time.
  QueryTable(const Terms& query, std::uint32_t vocabulary_size);
  ~QueryTable();
  QueryTable(const QueryTable&) = delete;
  QueryTable& operator=(const QueryTable&) = delete;

  /// Whether the query may have the word: surely, in vocabularies small enough for a full table.
  bool may_have(std::uint32_t word) const { return present_[word % kTableWords] != 0; }
  /// The weight of a word; 0 if the query lacks it.
  FixedWeight weight(std::uint32_t word) const { return full_ ? weights_[word] : find(word); }
  /// One bit, and the weight, of every word; vocabularies of at most kTableWords only.
  const std::uint64_t* bits() const { return bits_; }
  const FixedWeight* weights() const { return weights_; }

  /// Larger tables would miss the caches, and be slower than a search among the query's words.
  static constexpr std::uint32_t kTableWords = 1u << 16;

 private:
  FixedWeight find(std::uint32_t word) const;

  const Terms& query_;
  bool full_;
  std::uint8_t* present_;
  FixedWeight* weights_;
  std::uint64_t* bits_;
};

/// The terms of one frame, in one of two forms. Dense: a bitmap over the vocabulary, and the words
/// that occur more than once with how often. Sparse: gaps from word to word, and how often. One
/// number turns occurrences into weights; where that does not give back every weight exactly, the
/// weights follow in full instead.
class ForwardList {
 public:
  ForwardList() = default;
  ForwardList(const Terms& terms, const Factors& factors, const WordUnits& units);

  bool empty() const { return data_ == nullptr; }
  std::size_t bytes() const { return size_; }
  OwnedTerms decode(const WordUnits& units) const;
  /// Brings what score() reads nearer.
  void prefetch() const {
    for (std::uint32_t at = 0; at < size_; at += 64) __builtin_prefetch(data_.get() + at);
  }
  /// Sum of minima with the query.
  FixedWeight score(const QueryTable& query, const WordUnits& units) const;

 private:
  enum class Form : std::uint8_t { gaps, gaps_and_weights, bitmap };

  template <typename Visit>
  void walk_gaps(Visit visit) const;
  FixedWeight weight(std::uint32_t place, bool repeated, double unit) const;
  void encode_gaps(const Terms& terms, const Factors& factors);
  void encode_bitmap(const Terms& terms, const Factors& factors, std::uint32_t vocabulary_size);
  OwnedTerms decode_bitmap(const WordUnits& units) const;
  FixedWeight score_gaps(const QueryTable& query, const WordUnits& units) const;
  FixedWeight score_bitmap(const QueryTable& query, const WordUnits& units) const;
  void set_data(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second);

  std::unique_ptr<std::uint8_t[]> data_;
  std::uint32_t size_ = 0;
  std::uint32_t terms_ = 0;   // bitmap: words that occur more than once
  std::uint32_t second_ = 0;  // where the repetitions (or the weights) start in data_
  Form form_ = Form::gaps;
  double factor_ = 0;
};

}  // namespace looptree::detail
