// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "looptree/index/detail/bitmap_score.hpp"
#include "looptree/index/detail/gap_score.hpp"
#include "looptree/index/detail/terms.hpp"
#include "looptree/index/detail/word_units.hpp"

namespace looptree::detail {

/// A query as one frame after another is scored with it. Small vocabularies get a full table; in
/// one of a large vocabulary nearly every look would miss the caches, so there the words of the
/// query lie side by side, and where a word lies is how many bits are set before its own.
class QueryTable {
 public:
  /// `query` outlives the table. `units` is null where none are asked for. Uses memory of the
  /// calling thread, which has one table at a time.
  QueryTable(const Terms& query, std::uint32_t vocabulary_size, const WordUnits* units);
  ~QueryTable();
  QueryTable(const QueryTable&) = delete;
  QueryTable& operator=(const QueryTable&) = delete;

  /// Whether the query may have the word: surely, in vocabularies of at most kGapBits.
  std::uint64_t may_have(std::uint32_t word) const { return bit_of(bits_, word); }
  /// What a word weighs that it may have.
  FixedWeight weight(std::uint32_t word) const {
    return full_ ? weights_[word] : ranked_->find(word).weight;
  }
  /// For vocabularies of at most kTableWords, if units were given.
  DenseQuery dense() const { return {bits_, weights_, units_->data()}; }
  /// Likewise; null while it does not pay. To be asked for once per frame.
  const CompactQuery* compact() const;
  /// To be told when that many frames are going to be scored.
  void expect(std::size_t frames) { uses_ = frames > kWorthMaking ? kWorthMaking : uses_; }
  /// For any vocabulary.
  const RankedQuery& ranked() const;

  static constexpr std::uint32_t kTableWords = 1u << 16;

 private:
  /// Frames that take longer to score without a compact form than it takes to make one.
  static constexpr std::uint32_t kWorthMaking = 1;

  struct Memory {
    std::vector<std::uint64_t> bits;   // all zero between queries
    std::vector<FixedWeight> weights;  // good where the bit is set
    RankedQuery::Memory ranked;
  };
  static Memory& memory();
  void fill();

  const Terms& query_;
  const WordUnits* units_;
  bool full_;
  std::uint64_t* bits_;
  std::size_t bits_used_;  // of 64 each
  FixedWeight* weights_;
  mutable std::uint32_t uses_ = 0;  // of the compact form
  mutable std::optional<CompactQuery> compact_;
  mutable std::optional<RankedQuery> ranked_;
};

}  // namespace looptree::detail
