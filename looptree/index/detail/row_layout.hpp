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
/// frequent enough for a row to be smaller, and faster, than a list. Rows lie in no order: a search
/// wants one in eight, and knows which long before. Where it met them in rising order, as it does
/// if they lie by weight, processors guess that it goes on like that and fetch lines that nobody
/// wants, some so eagerly that searches took a fifth longer.
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
  /// The line of a word's row, or kNoRow.
  std::uint32_t line(std::uint32_t word) const { return line_of_[word]; }
  /// Brings that nearer.
  void prefetch(std::uint32_t word) const { __builtin_prefetch(&line_of_[word]); }
  /// What one occurrence of a word weighs, rounded up.
  float unit(std::uint32_t word) const { return unit_of_[word]; }
  std::uint32_t heavy_line(std::uint32_t line) const {
    return static_cast<std::uint32_t>(line + rows());
  }
  std::size_t bytes() const {
    return words_.capacity() * sizeof(words_[0]) +
           large_bytes(line_of_.capacity() * sizeof(line_of_[0])) +
           large_bytes(unit_of_.capacity() * sizeof(unit_of_[0]));
  }

 private:
  std::vector<std::uint32_t> words_;  // by row
  // By word, and apart: every search needs all lines of its words, and few need units.
  LargeVector<std::uint32_t> line_of_;
  LargeVector<float> unit_of_;
};

}  // namespace looptree::detail
