// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/index/core/idf_table.hpp"
#include "looptree/index/core/workspace.hpp"
#include "looptree/index/kernels/gap_walk.hpp"

namespace looptree::detail {

/// The words of a query side by side. Where a word lies is how many bits are set before its own:
/// that is found without a branch, and without leaving the nearest cache.
struct RankedQuery {
  struct Entry {
    std::uint32_t word = 0;
    FixedWeight weight = 0;
    double idf = 0;
  };

  const std::uint64_t* bits;            ///< kGapBits, by the lowest bits of words
  ScratchVector<std::uint32_t> before;  ///< per 64 bits, how many are set before them
  ScratchVector<Entry> entries;         ///< one for each bit that is set, then the others
  std::span<const Entry> others;        ///< ascending words whose bit an entry has for another word

  /// Of a word whose bit is set. It weighs nothing if the query lacks it.
  Entry find(std::uint32_t word) const {
    const Entry& entry = entries[rank(word)];
    return entry.word == word ? entry : other(word);
  }
  std::uint32_t rank(std::uint32_t word) const {
    const std::uint32_t at = word % kGapBits / 64;
    const std::uint64_t below = bits[at] & ((std::uint64_t{1} << (word % 64)) - 1);
    return before[at] + static_cast<std::uint32_t>(std::popcount(below));
  }
  Entry other(std::uint32_t word) const;
};

/// `bits` are those of the query's words. Every idf is 0 where no table is given.
RankedQuery make_ranked(const FixedView& query, const IdfTable* idf, const std::uint64_t* bits,
                        Workspace& workspace);

/// A repeated word is four bytes of word and one of tf - 2.
inline constexpr std::size_t kRepeatedBytes = 5;

/// A frame as gaps from word to word, and its repeated words.
struct GapFrame {
  GapList words;
  std::span<const std::uint8_t> repeats;  ///< kRepeatedBytes each
  double factor;                          ///< turns tf x idf into weights
};

/// The score of a frame: the sum of the smaller weights. The same on every machine.
FixedWeight score_gaps(const GapFrame& frame, const RankedQuery& query, Workspace& workspace);

}  // namespace looptree::detail
