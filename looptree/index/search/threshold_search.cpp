// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
//
// The search above a threshold, a ladder of upper bounds. A block of 512 frames is counted by the
// cheapest plan that is likely to tell; where more frames survive than are worth rescoring, it is
// counted again one rung higher, where bounds are tighter and take longer:
//
//   rung        reads                                   assumes                             taken
//   in assuming    presence and repeated rows of the       light words are in every frame, large
//   maps
//               words that matter most                  others occur as often as asked
//   presence    presence rows                           words occur as often as asked       small
//   maps, if the
//                                                                                           threshold
//                                                                                           is far
//                                                                                           up
//   coarse      all rows, 64 to a batch                 impacts of a batch are its highest  all
//   fine        all rows, 16 to a batch                 likewise                            all
//
// On every rung rare words are assumed to be in all frames first, and looked up in their posting
// lists only where a frame survives that. What survives the last rung is rescored.
#include <algorithm>
#include <array>
#include <vector>

#include "looptree/index/kernels/block_sums.hpp"
#include "looptree/index/search/frame_search.hpp"

namespace looptree::detail {
namespace {

using Part = Scan::Part;
using BlockPlace = Scan::BlockPlace;

/// Survivors that are rescored in one go.
constexpr std::size_t kBatch = 64;
/// Survivors of a block, by rung, up to which to rescore takes less time than to climb.
constexpr std::uint32_t kMostAssuming = 16;
constexpr std::uint32_t kMostPresence = 16;
constexpr std::uint32_t kMostCoarse = 32;

/// What the search knows of a segment before its first block.
struct Ladder {
  std::uint64_t remainder = 0;     ///< what any frame may score that is in no row and no list
  std::uint64_t rare = 0;          ///< what rare words may add
  bool rare_words_matter = false;  ///< whether it pays to find out what they do add
  const std::uint16_t* rare_sums = nullptr;  ///< that, by slot, once somebody asked
  AssumingPlans* assuming = nullptr;         ///< null where making one does not pay
  bool presence = false;                     ///< whether the rung of presence rows is taken
};

class ThresholdSearch {
 public:
  explicit ThresholdSearch(const FrameSearch& search)
      : scan_(search.scan), rescorer_(search.rescorer), collector_(search.collector) {}

  void run() {
    scan_.for_each_part([this](const Part& part) { search(part); });
    rescorer_.offer(survivors_);
  }

 private:
  void search(const Part& part) {
    Ladder ladder = make_ladder(part);
    Scan::for_each_block(part, [&](const BlockPlace& place) {
      climb(part, ladder, place);
      if (survivors_.size() < kBatch) return;
      rescorer_.offer(survivors_);  // in batches: a low threshold would list the whole map
      survivors_.clear();
    });
  }

  /// One block: rung by rung, until few survive.
  void climb(const Part& part, Ladder& ladder, BlockPlace place) {
    FrameBits alive = scan_.eligible(part, place.block);
    const auto settles = [&](const RowPlan& plan, std::uint32_t most) {
      const Counted counted = count(part, ladder, plan, place);
      alive = alive & counted.reaching;
      place.next = nullptr;  // fetched already
      if (alive.count() > most) return false;
      for_each_bit(alive, [&](std::uint32_t i) {
        const std::uint64_t bound = counted.bound.of(counted.sums.of(i));
        survivors_.push_back({&part.segment, place.block * kBlockFrames + i, bound});
      });
      return true;
    };
    if (const RowPlan* plan = ladder.assuming != nullptr ? ladder.assuming->plan() : nullptr) {
      const bool settled = settles(*plan, kMostAssuming);
      ladder.assuming->counted(!settled);
      if (settled) return;
    }
    if (ladder.presence && settles(part.plans.presence_plan(), kMostPresence)) return;
    const double scale = part.segment.block(place.block).scale;
    const std::uint32_t most = part.plans.has_rows() ? kMostCoarse : kBlockFrames;
    if (settles(part.plans.plan(scale, RowPlan::Grain::coarse), most)) return;
    settles(part.plans.plan(scale, RowPlan::Grain::fine), kBlockFrames);
  }

  Ladder make_ladder(const Part& part) const {
    const FixedWeight threshold = collector_.threshold();
    // Where rare words can add next to nothing it is assumed: to look takes longer than it spares.
    constexpr std::uint64_t kNextToNothing = 32;
    Ladder ladder;
    ladder.remainder = part.plans.remainder();
    ladder.rare = part.plans.rare_total();
    ladder.rare_words_matter = ladder.rare * kNextToNothing > threshold;
    const std::uint64_t assumed = ladder.remainder + ladder.rare;
    const Segment& segment = part.segment;
    if (threshold <= assumed || segment.row_counts().empty()) return ladder;
    // In a small map an assuming plan would take as long to make as it saves.
    constexpr std::uint32_t kManyFrames = 16 * kBlockFrames;
    if (scan_.range() >= kManyFrames && !ladder.rare_words_matter) {
      ladder.assuming = &part.plans.assuming_plans(
          {segment.row_counts(), segment.counted(), threshold - assumed, segment.scale()});
    } else {
      ladder.presence = is_far_above(part, threshold - assumed);
    }
    return ladder;
  }

  /// Whether the threshold is so high that hardly a frame would reach it even if it had every word
  /// as often as the query.
  static bool is_far_above(const Part& part, std::uint64_t threshold) {
    constexpr double kFar = 0.8;
    const Segment& segment = part.segment;
    return part.plans.mean_bound(segment.row_counts(), segment.counted()) <
           kFar * static_cast<double>(threshold);
  }

  /// A block counted by one plan: what its frames add up to, and which may reach the threshold.
  struct Counted {
    BlockSums sums;
    SumBound bound;  ///< of a sum, with all that rare words may add
    FrameBits reaching;
  };

  Counted count(const Part& part, Ladder& ladder, const RowPlan& plan,
                const BlockPlace& place) const {
    const std::uint64_t certain = ladder.remainder + plan.remainder;
    const std::uint64_t assumed = certain + ladder.rare;
    Counted result{BlockSums(plan, scan_.rows(part, place)), {part.plans.quantum(), assumed}, {}};
    result.reaching = at_threshold(
        result.bound, [&](std::uint32_t least) { return frames_reaching(result.sums, least); });
    if (!ladder.rare_words_matter || result.reaching.count() == 0) return result;
    if (ladder.rare_sums == nullptr) ladder.rare_sums = make_rare_sums(part);
    std::array<std::uint16_t, kBlockFrames> all;
    std::copy_n(ladder.rare_sums + std::size_t{place.block} * kBlockFrames, kBlockFrames,
                all.begin());
    add_block_sums(result.sums, all.data());
    const FrameBits with_rare =
        at_threshold({part.plans.quantum(), certain},
                     [&](std::uint32_t least) { return sums_reaching(all.data(), least); });
    result.reaching = result.reaching & with_rare;
    return result;
  }

  /// All frames if the remainder alone reaches the threshold, else those of the least sum that
  /// does.
  template <typename Reaching>
  FrameBits at_threshold(const SumBound& bound, Reaching reaching) const {
    if (collector_.threshold() <= bound.remainder) return range_bits(0, kBlockFrames);
    return reaching(bound.least(collector_.threshold()));
  }

  const std::uint16_t* make_rare_sums(const Part& part) const {
    Workspace& workspace = scan_.workspace();
    workspace.sums.assign(part.segment.blocks() * kBlockFrames, 0);
    add_postings(part, workspace, workspace.sums.data());
    return workspace.sums.data();
  }

  Scan& scan_;
  Rescorer& rescorer_;
  const Collector& collector_;
  std::vector<Survivor> survivors_;
};

}  // namespace

void search_above_threshold(const FrameSearch& search) {
  ThresholdSearch(search).run();
}

}  // namespace looptree::detail
