// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <vector>

#include "looptree/index/kernels/block_sums.hpp"
#include "looptree/index/search/frame_search.hpp"

namespace looptree::detail {
namespace {

using Part = Scan::Part;
using BlockPlace = Scan::BlockPlace;

/// Where the sums of a block lie among those of all slots, and how to read them.
struct BoundedBlock {
  const Segment& segment;
  std::uint32_t block;
  std::size_t at;
  SumBound bound;
};

class BestFirstSearch {
 public:
  explicit BestFirstSearch(const FrameSearch& search)
      : scan_(search.scan),
        rescorer_(search.rescorer),
        collector_(search.collector),
        sums_(search.scan.workspace().sums) {
    sums_.clear();
  }

  void run() {
    scan_.for_each_part([this](const Part& part) { bound_blocks(part); });
    std::uint64_t above = ~std::uint64_t{0};
    std::uint64_t floor = std::max<std::uint64_t>(first_floor(), collector_.threshold());
    while (true) {
      std::vector<Survivor> survivors = survivors_between(floor, above);
      rescorer_.offer_best_first(survivors);
      if (floor <= collector_.threshold()) return;
      above = floor;
      // Not enough frames passed the filter: look lower, but not at everything at once.
      floor = std::max<std::uint64_t>(collector_.threshold(),
                                      collector_.full() ? 1 : above - above / 8 - 1);
    }
  }

 private:
  void bound_blocks(const Part& part) {
    const bool rows = part.plans.has_rows();
    const std::size_t base = sums_.size();
    sums_.resize(base + part.segment.blocks() * kBlockFrames, 0);
    add_postings(part, scan_.workspace(), sums_.data() + base);
    Scan::for_each_block(part, [&](const BlockPlace& place) {
      const std::size_t at = base + std::size_t{place.block} * kBlockFrames;
      std::uint64_t remainder = part.plans.remainder();
      if (rows) {
        const RowPlan& plan =
            part.plans.plan(part.segment.block(place.block).scale, RowPlan::Grain::fine);
        add_block_sums(BlockSums(plan, scan_.rows(part, place)), sums_.data() + at);
        remainder += plan.remainder;
      }
      // One, not zero, for the rest: a remainder may be all that a frame has.
      keep_sums(scan_.eligible(part, place.block), remainder > 0 ? 1 : 0, sums_.data() + at);
      blocks_.push_back({part.segment, place.block, at, {part.plans.quantum(), remainder}});
    });
  }

  /// A bound that at least as many frames reach as are wanted, and not many more: of the highest
  /// bounds of small sets of frames.
  std::uint64_t first_floor() const {
    std::vector<std::uint64_t> best;
    best.reserve(blocks_.size() * SetSums().size());
    for (const BoundedBlock& block : blocks_) {
      for (const std::uint16_t sum : highest_sums(sums_.data() + block.at)) {
        best.push_back(block.bound.of(sum));
      }
    }
    const std::size_t wanted = collector_.limit();
    if (wanted > best.size()) return 1;
    std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(wanted - 1),
                     best.end(), std::greater<>());
    return std::max<std::uint64_t>(best[wanted - 1], 1);
  }

  /// The frames whose bound lies in [floor, above).
  std::vector<Survivor> survivors_between(std::uint64_t floor, std::uint64_t above) const {
    std::vector<Survivor> survivors;
    for (const BoundedBlock& block : blocks_) {
      const std::uint16_t* at = sums_.data() + block.at;
      for_each_bit(sums_reaching(at, block.bound.least(floor)), [&](std::uint32_t i) {
        const std::uint64_t bound = block.bound.of(at[i]);
        if (bound < above)
          survivors.push_back({&block.segment, block.block * kBlockFrames + i, bound});
      });
    }
    return survivors;
  }

  Scan& scan_;
  Rescorer& rescorer_;
  const Collector& collector_;
  std::vector<std::uint16_t>& sums_;  // by slot
  std::vector<BoundedBlock> blocks_;
};

}  // namespace

void search_best_first(const FrameSearch& search) {
  BestFirstSearch(search).run();
}

}  // namespace looptree::detail
