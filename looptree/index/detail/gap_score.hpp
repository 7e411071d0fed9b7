// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "looptree/index/detail/gap_walk.hpp"
#include "looptree/index/detail/terms.hpp"
#include "looptree/index/detail/word_units.hpp"

namespace looptree::detail {

/// The words of a query side by side. Where a word lies is how many bits are set before its own:
/// that is found without a branch, and without leaving the nearest cache.
struct RankedQuery {
  struct Entry {
    std::uint32_t word = 0;
    FixedWeight weight = 0;
    double unit = 0;
  };
  /// Somewhere to lie, used again by the next query.
  struct Memory {
    std::vector<std::uint32_t> before;
    std::vector<Entry> entries;
  };

  const std::uint64_t* bits;      ///< kGapBits, by the lowest bits of words
  const std::uint32_t* before;    ///< per 64 bits, how many are set before them
  const Entry* entries;           ///< one for each bit that is set
  std::span<const Entry> others;  ///< ascending words whose bit an entry has for another word

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

/// `bits` are those of the query's words. Units are 0 where none are given.
RankedQuery make_ranked(const Terms& query, const WordUnits* units, const std::uint64_t* bits,
                        RankedQuery::Memory& memory);

/// A repetition is four bytes of word and one of occurrences, two being 0.
inline constexpr std::size_t kRepeatBytes = 5;

/// A frame as gaps from word to word, and the words that occur in it more than once.
struct GapFrame {
  GapList words;
  std::span<const std::uint8_t> repeats;  ///< kRepeatBytes each
  double factor;                          ///< turns occurrences times units into weights
};

/// Sum of minima of what the words weigh in the frame and in the query. The same on every machine.
FixedWeight score_gaps(const GapFrame& frame, const RankedQuery& query);

}  // namespace looptree::detail
