// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/index/core/idf_table.hpp"
#include "looptree/index/core/workspace.hpp"
#include "looptree/index/frames/forward_entry.hpp"

namespace looptree::detail {

/// The query by word, for scoring one frame or node after another exactly. Small vocabularies get a
/// full table. In one of a large vocabulary nearly every look would miss the caches, so there the
/// words of the query lie side by side, and where a word lies is how many bits are set before its
/// own.
class QueryLookup {
 public:
  /// What is given outlives the lookup. `idf` is null where no frames are scored. A workspace has
  /// one lookup at a time.
  QueryLookup(const FixedView& query, std::uint32_t vocabulary_size, const IdfTable* idf,
              Workspace& workspace);
  ~QueryLookup();
  QueryLookup(const QueryLookup&) = delete;
  QueryLookup& operator=(const QueryLookup&) = delete;

  /// 1 if the query may have the word (surely, in vocabularies of at most kGapBits), else 0.
  std::uint64_t may_have(std::uint32_t word) const { return bit_of(bits_, word); }
  /// What a word weighs that it may have.
  FixedWeight weight(std::uint32_t word) const {
    return full_ ? weights_[word] : ranked_->find(word).weight;
  }
  /// The score of a frame whose entry was made with the idf given.
  FixedWeight score(const ForwardEntry& frame);
  /// To be told when so many frames are going to be scored: several are scored sooner from a form
  /// of the query that takes a while to make.
  void expect(std::size_t frames) {
    if (frames > kWorthMaking) scored_ = kWorthMaking;
  }

 private:
  /// Frames that take longer to score without a compact form than it takes to make one.
  static constexpr std::uint32_t kWorthMaking = 1;

  void fill();
  const RankedQuery& ranked();
  const CompactQuery* compact();
  FixedWeight score_weights(const ForwardEntry& frame) const;

  const FixedView& query_;
  const IdfTable* idf_;
  Workspace& workspace_;
  bool full_;
  std::uint64_t* bits_;
  std::size_t bits_used_;  // in words of 64
  FixedWeight* weights_;
  std::uint32_t scored_ = 0;  // frames without a compact form
  std::optional<CompactQuery> compact_;
  std::optional<RankedQuery> ranked_;
};

}  // namespace looptree::detail
