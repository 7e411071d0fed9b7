// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "looptree/index/detail/bitmap_score.hpp"
#include "looptree/index/detail/gap_walk.hpp"
#include "looptree/index/detail/terms.hpp"
#include "looptree/index/detail/word_units.hpp"

namespace looptree::detail {

/// A query as one frame after another is scored with it. Small vocabularies get a full table; in
/// one of a large vocabulary nearly every look would miss the caches, so the words of the query are
/// hashed instead.
class QueryTable {
 public:
  /// `query` outlives the table. `units` is null where none are asked for. Uses memory of the
  /// calling thread, which has one table at a time.
  QueryTable(const Terms& query, std::uint32_t vocabulary_size, const WordUnits* units);
  ~QueryTable();
  QueryTable(const QueryTable&) = delete;
  QueryTable& operator=(const QueryTable&) = delete;

  /// A word as the query has it; one that it lacks weighs nothing.
  struct Asked {
    FixedWeight weight;
    double unit;
  };

  /// Whether the query may have the word: surely, in vocabularies small enough for a full table.
  std::uint64_t may_have(std::uint32_t word) const {
    return bits_[word % kTableWords / 64] >> (word % 64) & 1;
  }
  /// kTableWords of them: may_have() of words by their lowest bits.
  const std::uint64_t* bits() const { return bits_; }
  Asked asked(std::uint32_t word) const {
    if (!full_) return find(word);
    return {weights_[word], units_ != nullptr ? (*units_)[word] : 0};
  }
  /// For vocabularies of at most kTableWords, if units were given.
  DenseQuery dense() const { return {bits_, weights_, units_->data()}; }
  /// Likewise; null while it does not pay. To be asked for once per frame.
  const CompactQuery* compact() const;

  static constexpr std::uint32_t kTableWords = kGapBits;

 private:
  struct Entry {  // empty where the weight is 0
    std::uint32_t word = 0;
    FixedWeight weight = 0;
    double unit = 0;
  };
  /// All zero between queries.
  struct Memory {
    std::vector<std::uint64_t> bits;
    std::vector<FixedWeight> weights;
    std::vector<Entry> entries;
  };
  static Memory& memory();

  void fill_full();
  void fill_hashed();
  /// Where to look for a word first.
  std::uint32_t home(std::uint32_t word) const { return word * 0x9E3779B1u >> shift_; }
  Asked find(std::uint32_t word) const {
    for (std::uint32_t at = home(word);; at = (at + 1) & mask_) {
      const Entry& entry = entries_[at];
      if (entry.word == word || entry.weight == 0) return {entry.weight, entry.unit};
    }
  }

  const Terms& query_;
  const WordUnits* units_;
  bool full_;
  std::uint64_t* bits_;
  FixedWeight* weights_;
  Entry* entries_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t shift_ = 0;
  mutable std::uint32_t uses_ = 0;  // of the compact form
  mutable std::optional<CompactQuery> compact_;
};

}  // namespace looptree::detail
