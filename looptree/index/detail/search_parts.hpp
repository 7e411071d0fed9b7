// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "looptree/index/detail/block_rows.hpp"
#include "looptree/index/detail/frame_bits.hpp"
#include "looptree/index/detail/frame_segments.hpp"
#include "looptree/index/detail/query_bounds.hpp"

namespace looptree::detail {

/// What the ways to search frames have in common: which slots of which segments to look at, and
/// what the query lets them score at most.
class SearchParts {
 public:
  /// What is given outlives it.
  SearchParts(const FrameSegments& frames, const Terms& query, const Candidates& candidates);

  /// The slots of one segment that lie in the range of the search.
  struct Part {
    const Segment& segment;
    QueryBounds& bounds;
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
      if (first < last) visit(Part{*segment, bounds(*segment), first, last});
    }
  }

  /// Visits those of the part that hold frames.
  template <typename Visit>
  static void for_each_block(const Part& part, Visit visit) {
    const std::uint32_t last = (part.last - 1) / kRowBits;
    for (std::uint32_t block = part.first / kRowBits; block <= last; ++block) {
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

 private:
  /// What a search reads of a block besides its rows. Far apart in time, so no longer in a cache.
  static void prefetch_head(const Block& block);
  /// Segments mostly share their layout, and so the plans.
  QueryBounds& bounds(const Segment& segment);
  FrameBits listed(const Segment& segment, std::uint32_t block) const;

  const FrameSegments& frames_;
  const Terms& query_;
  const Candidates& candidates_;
  bool far_;
  std::map<const RowLayout*, QueryBounds> bounds_;
};

/// Sums by slot: every query of a thread needs them again, and allocating takes long.
std::vector<std::uint16_t>& sums_of_thread();
/// Adds to each slot's sum what the listed words may give it.
void add_lists(const SearchParts::Part& part, std::uint16_t* sums);

}  // namespace looptree::detail
