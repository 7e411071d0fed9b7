// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/index/core/idf_table.hpp"
#include "looptree/index/kernels/bitmap_score.hpp"
#include "looptree/index/kernels/gap_score.hpp"

namespace looptree::detail {

/// How the weights of one image factor into tf x idf x scale.
struct Factors {
  /// A word that occurs once weighs at most idf x scale. The least such factor, give or take 0.1%.
  double scale = 0;
  /// Per word: whether it weighs more than that.
  std::vector<std::uint8_t> repeated;
  /// Per word: how often it occurs, were it all whole numbers.
  std::vector<std::uint32_t> tf;
};

/// The largest weight of a word that is not repeated: what bounds are made of, so both sides
/// compute it here.
inline double once_limit(double idf, double scale) {
  return idf * scale;
}

Factors factorize(const FixedView& words, const IdfTable& idf);

/// One frame's entry of the forward index: its words and their weights.
///
/// Dense vocabularies are stored as a bitmap, with the tf of repeated words behind it; sparse ones
/// as gaps from word to word, likewise. One factor turns tf x idf into weights; where that does not
/// give back every weight exactly, the weights follow in full instead.
class ForwardEntry {
 public:
  enum class Form : std::uint8_t { gaps, gaps_and_weights, bitmap };

  /// What makes an entry beside its bytes; written to snapshots as it is.
  struct Shape {
    std::uint32_t size = 0;
    std::uint32_t words = 0;   ///< in the bitmap form: repeated words
    std::uint32_t second = 0;  ///< where the repeated words (or the weights) start in the bytes
    Form form = Form::gaps;
    std::uint8_t reserved[3] = {};
    double factor = 0;
  };

  ForwardEntry() = default;
  ForwardEntry(const FixedView& words, const Factors& factors, const IdfTable& idf);
  /// An entry over bytes that somebody else keeps for as long as it lives.
  ForwardEntry(const std::uint8_t* data, const Shape& shape)
      : data_(data), owned_(false), shape_(shape) {}
  ~ForwardEntry() {
    if (owned_) delete[] data_;
  }
  ForwardEntry(ForwardEntry&& other) noexcept { swap(other); }
  ForwardEntry& operator=(ForwardEntry&& other) noexcept {
    ForwardEntry(std::move(other)).swap(*this);
    return *this;
  }

  std::size_t bytes() const { return shape_.size; }
  const std::uint8_t* data() const { return data_; }
  const Shape& shape() const { return shape_; }
  /// Whether bytes that came from a file follow the rules, so that no use of the entry leaves them
  /// or the vocabulary.
  bool sound(std::uint32_t vocabulary_size) const;
  FixedHistogram decode(const IdfTable& idf) const;
  /// Brings what a score reads nearer: to the second cache, whose queue of misses is the longer.
  void prefetch() const {
    for (std::uint32_t at = 0; at < shape_.size; at += 64) __builtin_prefetch(data_ + at, 0, 2);
  }
  /// The lowest word that the query has, too; 2^32 - 1 if there is none. Looks no further than
  /// that.
  std::uint32_t first_common(const FixedView& query) const;

  Form form() const { return shape_.form; }
  /// In the bitmap form.
  BitmapFrame bitmap() const {
    return {data_, shape_.second, data_ + shape_.second, shape_.words, shape_.factor};
  }
  /// In the form of gaps.
  GapFrame gaps() const {
    return {
        {data_, shape_.words}, {data_ + shape_.second, shape_.size - shape_.second}, shape_.factor};
  }
  /// In the form of gaps and weights: calls visit(word, weight) for every word in order.
  template <typename Visit>
  void for_each_weight(Visit visit) const {
    walk_gaps([&](std::uint32_t word, std::uint32_t i) { visit(word, raw_weight(i)); });
  }

 private:
  void swap(ForwardEntry& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(owned_, other.owned_);
    std::swap(shape_, other.shape_);
  }
  bool sound_gaps(std::uint32_t vocabulary_size) const;
  bool sound_repeated() const;
  bool sound_bitmap(std::uint32_t vocabulary_size) const;
  /// Calls visit(word, index) for every word in order. A visit that returns false ends the walk.
  template <typename Visit>
  void walk_gaps(Visit visit) const {
    const std::uint8_t* at = data_;
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < shape_.words; ++i, ++word) {
      word += next_gap(at);
      if constexpr (std::is_void_v<decltype(visit(word, i))>) {
        visit(word, i);
      } else if (!visit(word, i)) {
        return;
      }
    }
  }
  FixedWeight raw_weight(std::uint32_t i) const {
    return get_u32(data_ + shape_.second + std::size_t{i} * 4);
  }
  void encode_gaps(const FixedView& words, const Factors& factors);
  void encode_bitmap(const FixedView& words, const Factors& factors, std::uint32_t vocabulary_size);
  FixedHistogram decode_gaps(const IdfTable& idf) const;
  FixedHistogram decode_bitmap(const IdfTable& idf) const;
  void set_data(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second);

  const std::uint8_t* data_ = nullptr;
  bool owned_ = false;
  Shape shape_;
};

}  // namespace looptree::detail
