// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "looptree/index/detail/query_table.hpp"
#include "looptree/index/detail/terms.hpp"
#include "looptree/index/detail/word_units.hpp"

namespace looptree::detail {

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

/// The terms of one frame, in one of two forms. Dense: a bitmap over the vocabulary, and the words
/// that occur more than once with how often. Sparse: gaps from word to word, and likewise. One
/// number turns occurrences into weights; where that does not give back every weight exactly, the
/// weights follow in full instead.
class ForwardList {
 public:
  enum class Form : std::uint8_t { gaps, gaps_and_weights, bitmap };

  /// What beside its bytes makes a list; written to snapshots as it is.
  struct Shape {
    std::uint32_t size = 0;
    std::uint32_t terms = 0;   ///< bitmap: words that occur more than once
    std::uint32_t second = 0;  ///< where the repetitions (or the weights) start in the bytes
    Form form = Form::gaps;
    std::uint8_t reserved[3] = {};
    double factor = 0;
  };

  ForwardList() = default;
  ForwardList(const Terms& terms, const Factors& factors, const WordUnits& units);
  /// A list over bytes that somebody else keeps for as long as it lives.
  ForwardList(const std::uint8_t* data, const Shape& shape)
      : data_(data), owned_(false), shape_(shape) {}
  ~ForwardList() {
    if (owned_) delete[] data_;
  }
  ForwardList(ForwardList&& other) noexcept { swap(other); }
  ForwardList& operator=(ForwardList&& other) noexcept {
    ForwardList(std::move(other)).swap(*this);
    return *this;
  }

  bool empty() const { return data_ == nullptr; }
  std::size_t bytes() const { return shape_.size; }
  const std::uint8_t* data() const { return data_; }
  const Shape& shape() const { return shape_; }
  /// Whether the bytes of a list made of somebody else's follow the rules, so that no use of it
  /// leaves them or the vocabulary.
  bool sound(std::uint32_t vocabulary_size) const;
  OwnedTerms decode(const WordUnits& units) const;
  /// Brings what score() reads nearer: to the second cache, whose queue of misses is the longer.
  void prefetch() const {
    for (std::uint32_t at = 0; at < shape_.size; at += 64) __builtin_prefetch(data_ + at, 0, 2);
  }
  /// Sum of minima with the query, whose table was made with the units of this list.
  FixedWeight score(const QueryTable& query) const;
  /// At least what a bound is too high by that grants all words which the list has more than once
  /// as often as the query has them; 0 where to find out takes no less than the score.
  FixedWeight lack(const QueryTable& query) const;
  /// The lowest word that the query has, too; 2^32 - 1 if there is none. Looks no further than
  /// that.
  std::uint32_t first_common(const Terms& query) const;

 private:
  void swap(ForwardList& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(owned_, other.owned_);
    std::swap(shape_, other.shape_);
  }
  bool sound_gaps(std::uint32_t vocabulary_size) const;
  bool sound_repeats() const;
  bool sound_bitmap(std::uint32_t vocabulary_size) const;
  template <typename Visit>
  void walk_gaps(Visit visit) const;
  template <typename Visit>
  void walk_repeats(Visit visit) const;
  FixedWeight raw_weight(std::uint32_t i) const;
  void encode_gaps(const Terms& terms, const Factors& factors);
  void encode_bitmap(const Terms& terms, const Factors& factors, std::uint32_t vocabulary_size);
  OwnedTerms decode_bitmap(const WordUnits& units) const;
  FixedWeight score_gaps(const QueryTable& query) const;
  FixedWeight score_weights(const QueryTable& query) const;
  BitmapFrame bitmap() const {
    return {data_, shape_.second, data_ + shape_.second, shape_.terms, shape_.factor};
  }
  void set_data(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second);

  const std::uint8_t* data_ = nullptr;
  bool owned_ = false;
  Shape shape_;
};

}  // namespace looptree::detail
