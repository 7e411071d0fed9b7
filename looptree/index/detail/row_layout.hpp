// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/index/detail/large_memory.hpp"
#include "looptree/index/detail/word_units.hpp"

namespace looptree::detail {

/// Which words have a row of bits in the blocks of a segment, and where: the words that are
/// frequent enough for a row to be smaller, and faster, than a list. Rows lie by falling unit,
/// since a search wants the heavy ones first and memory likes to be read in order.
///
/// A block is 1 empty line, then a line per word, then another per word that says where it is heavy
/// (weighs more than one occurrence does). Words that shared a line for that would save memory, and
/// bounds so loose that twice as many frames had to be scored.
class RowLayout {
 public:
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

  RowLayout(std::vector<std::uint32_t> words, const WordUnits& units);

  std::size_t rows() const { return words_.size(); }
  std::size_t lines() const { return 1 + 2 * rows(); }
  const std::vector<std::uint32_t>& words() const { return words_; }
  /// What a search asks about a word: the line of its row, or kNoRow, and its unit, rounded up.
  struct Place {
    std::uint32_t line;
    float unit;
  };
  const Place& place(std::uint32_t word) const { return places_[word]; }
  /// Brings a place nearer.
  void prefetch(std::uint32_t word) const { __builtin_prefetch(&places_[word]); }
  std::uint32_t line(std::uint32_t word) const { return places_[word].line; }
  std::uint32_t heavy_line(std::uint32_t line) const {
    return static_cast<std::uint32_t>(line + rows());
  }
  std::size_t bytes() const {
    return words_.capacity() * sizeof(words_[0]) +
           large_bytes(places_.capacity() * sizeof(places_[0]));
  }

 private:
  std::vector<std::uint32_t> words_;  // by row
  LargeVector<Place> places_;         // by word
};

}  // namespace looptree::detail
