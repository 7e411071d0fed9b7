// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "looptree/index/core/bits.hpp"
#include "looptree/index/core/candidates.hpp"
#include "looptree/index/frames/frame_layer.hpp"
#include "looptree/index/kernels/dispatch.hpp"
#include "looptree/index/search/bound_plans.hpp"

namespace looptree::detail {

/// A walk over the blocks that hold a search's candidates, segment by segment, with the plans that
/// bound their frames' scores.
class Scan {
 public:
  /// What is given outlives it.
  Scan(const FrameLayer& frames, const FixedView& query, const Candidates& candidates,
       Workspace& workspace);

  /// The slots of one segment that lie in the range of the search.
  struct Part {
    const Segment& segment;
    BoundPlans& plans;
    std::uint32_t first;
    std::uint32_t last;
  };
  /// A block, and the rows of the next, or null.
  struct BlockPlace {
    std::uint32_t block;
    const std::uint8_t* next;
  };

  template <typename Visit>
  void for_each_part(Visit visit) {
    for (const auto& segment : frames_.segments()) {
      const std::uint32_t first = segment->slot_of(candidates_.first);
      const std::uint32_t last = segment->slot_of(candidates_.last);
      if (first < last) visit(Part{*segment, plans(*segment), first, last});
    }
  }

  /// Visits those of the part that hold frames.
  template <typename Visit>
  static void for_each_block(const Part& part, Visit visit) {
    const std::uint32_t last = (part.last - 1) / kBlockFrames;
    for (std::uint32_t block = part.first / kBlockFrames; block <= last; ++block) {
      const std::uint8_t* next = block < last ? part.segment.block(block + 1).rows.data() : nullptr;
      if (block + 2 <= last) prefetch_head(part.segment.block(block + 2));
      if (part.segment.block(block).live > 0) visit(BlockPlace{block, next});
    }
  }

  BlockRows rows(const Part& part, const BlockPlace& place) const {
    return {part.segment.block(place.block).rows.data(), place.next, far_};
  }
  /// The frames of a block that may be returned at all.
  FrameBits eligible(const Part& part, std::uint32_t block) const;
  /// How many frames the range holds, erased ones and others that are no candidates included.
  std::uint32_t range() const { return candidates_.last - candidates_.first; }
  Workspace& workspace() const { return workspace_; }

 private:
  /// What a search reads of a block besides its rows. Far apart in time, so no longer in a cache.
  static void prefetch_head(const Block& block);
  /// Segments mostly share their layout, and so the plans.
  BoundPlans& plans(const Segment& segment);
  FrameBits listed(const Segment& segment, std::uint32_t block) const;

  const FrameLayer& frames_;
  const FixedView& query_;
  const Candidates& candidates_;
  Workspace& workspace_;
  bool far_;
  std::map<const RowLayout*, BoundPlans> plans_;
};

/// Adds to each slot's sum the impacts of the rare words that its frame has.
void add_postings(const Scan::Part& part, Workspace& workspace, std::uint16_t* sums);

}  // namespace looptree::detail
