// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "looptree/index/detail/collector.hpp"
#include "looptree/index/detail/forward_list.hpp"
#include "looptree/index/detail/segment.hpp"

namespace looptree::detail {

/// A frame whose score may be high enough, and the most it can be.
struct Suspect {
  const Segment* segment;
  std::uint32_t slot;
  std::uint64_t bound;
};

/// Scores single frames of one query exactly, from their forward lists, and offers them to the
/// collector.
class FrameScorer {
 public:
  /// What is given outlives the scorer.
  FrameScorer(const Terms& query, const WordUnits& units, Collector& collector)
      : query_(query), units_(units), collector_(collector) {}

  /// An erased frame is passed over.
  void offer(const Segment& segment, std::uint32_t slot);
  /// In the given order, but not those whose bound the collector's threshold has passed.
  void offer(const std::vector<Suspect>& suspects);
  /// Likewise, where their bounds grant words that a frame has more than once as often as the query
  /// has them: many are then looked at closer first.
  void offer_sifted(std::vector<Suspect>& suspects);
  /// From the highest bound down, which spares most of them where the collector cuts to the best.
  void offer_best_first(std::vector<Suspect>& suspects);

 private:
  QueryTable& table();
  /// Takes out those that lack too much.
  void sift(std::vector<Suspect>& suspects);

  const Terms& query_;
  const WordUnits& units_;
  Collector& collector_;
  std::optional<QueryTable> table_;  // made for the first frame that is scored
};

}  // namespace looptree::detail
