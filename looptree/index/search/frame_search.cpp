// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/search/frame_search.hpp"

namespace looptree::detail {
namespace {

/// Scoring a frame takes about as long as bounding a third of a block.
bool few_listed(const Candidates& candidates) {
  return candidates.listed &&
         candidates.items.size() < (candidates.last - candidates.first) / 128 + 16;
}

void score_listed(const FrameLayer& frames, const Candidates& candidates, Rescorer& rescorer) {
  if (frames.segments().empty()) return;
  for (const std::uint32_t frame : candidates.items) {
    const Segment& segment = frames.segment_of(frame);
    if (segment.contains(frame)) rescorer.offer(segment, segment.slot_of(frame));
  }
}

}  // namespace

void search_frames(const FrameLayer& frames, const FixedView& query, const Candidates& candidates,
                   Collector& collector, Workspace& workspace) {
  Rescorer rescorer(query, frames.idf(), collector, workspace);
  if (few_listed(candidates)) return score_listed(frames, candidates, rescorer);
  Scan scan(frames, query, candidates, workspace);
  // Whether some of the candidates will be cut off for being too many.
  if (collector.limit() < candidates.size()) {
    search_best_first({scan, rescorer, collector});
  } else {
    search_above_threshold({scan, rescorer, collector});
  }
}

}  // namespace looptree::detail
