// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "looptree/index/core/huge_pages.hpp"

namespace looptree::detail {

/// Which words have rows in the blocks of a segment, and where: the words that are frequent enough
/// for a row to be smaller, and faster, than a posting list.
///
/// A block is one empty line, then a presence row per word (the frames that have it), then a
/// repeated row per word (the frames in which it weighs more than one occurrence does).
///
/// Rows lie in no order. A search reads one in eight, heaviest word first; where that happens to be
/// in rising order of addresses, processors guess that it goes on like that and fetch lines nobody
/// wants, some so eagerly that searches took a fifth longer.
class RowLayout {
 public:
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
  /// By word: its line and one, or 0 where it has no row.
  using Table = ZeroedTable<std::uint32_t>;

  /// Words in any order; one that is named twice gets one row.
  RowLayout(std::vector<std::uint32_t> words, std::uint32_t vocabulary_size)
      : RowLayout(std::move(words), Table(vocabulary_size)) {}
  /// `room`: zeroes for all words of the vocabulary.
  RowLayout(std::vector<std::uint32_t> words, Table room);

  /// How many words have rows.
  std::size_t rows() const { return words_.size(); }
  std::size_t lines() const { return 1 + 2 * rows(); }
  const std::vector<std::uint32_t>& words() const { return words_; }
  /// The line of a word's presence row, or kNoRow.
  std::uint32_t line(std::uint32_t word) const { return line_plus_1_[word] - 1; }
  /// Brings that nearer.
  void prefetch(std::uint32_t word) const { __builtin_prefetch(&line_plus_1_[word]); }
  /// The line of the repeated row that belongs to a presence row.
  std::uint32_t repeated_line(std::uint32_t line) const {
    return static_cast<std::uint32_t>(line + rows());
  }
  std::size_t bytes() const { return words_.capacity() * sizeof(words_[0]) + line_plus_1_.bytes(); }

 private:
  std::vector<std::uint32_t> words_;  // by row
  Table line_plus_1_;
};

}  // namespace looptree::detail
