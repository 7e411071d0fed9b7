// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "looptree/index/core/collector.hpp"
#include "looptree/index/frames/segment.hpp"
#include "looptree/index/search/query_lookup.hpp"

namespace looptree::detail {

/// A frame whose bound reached the threshold.
struct Survivor {
  const Segment* segment;
  std::uint32_t slot;
  std::uint64_t bound;  ///< the most it can score
};

/// Rescoring: scores frames exactly, from the forward index, and offers them to the collector.
class Rescorer {
 public:
  /// What is given outlives it.
  Rescorer(const FixedView& query, const IdfTable& idf, Collector& collector, Workspace& workspace)
      : query_(query), idf_(idf), collector_(collector), workspace_(workspace) {}

  /// A stored frame.
  void offer(const Segment& segment, std::uint32_t slot);
  /// In the given order, but not those whose bound the collector's threshold has passed.
  void offer(const std::vector<Survivor>& survivors);
  /// From the highest bound down, which spares most of them where the collector cuts to the best.
  void offer_best_first(std::vector<Survivor>& survivors);

 private:
  QueryLookup& lookup();

  const FixedView& query_;
  const IdfTable& idf_;
  Collector& collector_;
  Workspace& workspace_;
  std::optional<QueryLookup> lookup_;  // made for the first frame that is scored
};

}  // namespace looptree::detail
