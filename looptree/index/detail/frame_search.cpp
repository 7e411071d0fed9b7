// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/frame_search.hpp"

namespace looptree::detail {
namespace {

/// Scoring a frame takes about as long as bounding a third of a block.
bool few_listed(const Candidates& candidates) {
  return candidates.listed &&
         candidates.items.size() < (candidates.last - candidates.first) / 128 + 16;
}

void score_listed(const FrameSegments& frames, const Candidates& candidates, FrameScorer& scorer) {
  if (frames.segments().empty()) return;
  for (const std::uint32_t frame : candidates.items) {
    const Segment& segment = frames.segment_of(frame);
    const std::uint32_t slot = segment.slot_of(frame);
    if (slot < segment.slots() && segment.id(slot) == frame) scorer.offer(segment, slot);
  }
}

}  // namespace

void FrameSegments::search(const Terms& query, const Candidates& candidates,
                           Collector& collector) const {
  FrameScorer scorer(query, units(), collector);
  if (few_listed(candidates)) return score_listed(*this, candidates, scorer);
  SearchParts parts(*this, query, candidates);
  // Whether some of the candidates will be cut off for being too many.
  if (collector.limit() < candidates.size()) {
    search_best_first({parts, scorer, collector});
  } else {
    search_above_threshold({parts, scorer, collector});
  }
}

}  // namespace looptree::detail
