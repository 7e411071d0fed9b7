// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <vector>

#include "looptree/index/detail/frame_search.hpp"
#include "looptree/index/detail/frame_sums.hpp"

namespace looptree::detail {
namespace {

using Part = SearchParts::Part;
using BlockPlace = SearchParts::BlockPlace;

/// Suspects that are scored in one go.
constexpr std::size_t kBatch = 64;

/// How the frames of a segment that may reach the threshold are told from the others.
struct Sieve {
  std::uint64_t besides = 0;  ///< what any frame may score that is in no row and no list
  std::uint64_t listed = 0;   ///< what lists may add
  bool lists_matter = false;  ///< whether it pays to find out what they do add
  const std::uint16_t* list_sums = nullptr;  ///< that, by slot, once somebody asked
  LoosePlans* loose = nullptr;               ///< null where making one does not pay
  bool light = false;                        ///< whether a plan without heavy rows comes first
};

class ThresholdSearch {
 public:
  explicit ThresholdSearch(const FrameSearch& search)
      : parts_(search.parts), scorer_(search.scorer), collector_(search.collector) {}

  void run() {
    parts_.for_each_part([this](const Part& part) { search(part); });
    scorer_.offer_sifted(suspects_);
  }

 private:
  Sieve make_sieve(const Part& part) const {
    const FixedWeight threshold = collector_.threshold();
    // Where lists can add next to nothing, it is granted: to look takes longer than it spares.
    constexpr std::uint64_t kNextToNothing = 32;
    Sieve sieve;
    sieve.besides = part.bounds.remainder();
    sieve.listed = part.bounds.listed_total();
    sieve.lists_matter = sieve.listed * kNextToNothing > threshold;
    // In a small map a loose plan would take as long to make as it saves.
    constexpr std::uint32_t kMany = 16 * kRowBits;
    const std::uint64_t granted = sieve.besides + sieve.listed;
    if (parts_.range() >= kMany && !sieve.lists_matter && threshold > granted &&
        !part.segment.row_counts().empty()) {
      sieve.loose = &part.bounds.loose_plans({part.segment.row_counts(), part.segment.counted(),
                                              threshold - granted, part.segment.scale()});
    } else if (threshold > granted) {
      sieve.light = is_far_above(part, threshold - granted);
    }
    return sieve;
  }

  /// Whether the threshold is so high that hardly a frame would reach it even if it had every word
  /// it has as often as the query.
  static bool is_far_above(const Part& part, std::uint64_t threshold) {
    constexpr double kFar = 0.8;
    const auto& counts = part.segment.row_counts();
    return !counts.empty() && part.bounds.mean_bound(counts, part.segment.counted()) <
                                  kFar * static_cast<double>(threshold);
  }

  /// What reaches the threshold: all frames if they score so much anyway, else those of this sum.
  template <typename Reaching>
  FrameBits at_threshold(const Part& part, std::uint64_t anyway, Reaching reaching) const {
    if (collector_.threshold() <= anyway) return range_bits(0, kRowBits);
    return reaching(SumBound{part.bounds.step(), anyway}.least(collector_.threshold()));
  }

  /// A block by one plan: what its frames add up to, and which may reach the threshold.
  struct Counted {
    RowSums sums;
    SumBound bound;  ///< of a sum, if all that lists may add is granted
    FrameBits reaching;
  };

  /// What lists add is looked up only where some frame might reach the threshold: most blocks have
  /// none, even if all of it is granted.
  Counted count(const Part& part, Sieve& sieve, const RowPlan& plan,
                const BlockPlace& place) const {
    const std::uint64_t anyway = sieve.besides + plan.remainder;
    const std::uint64_t granted = anyway + sieve.listed;
    Counted result{RowSums(plan, parts_.rows(part, place)), {part.bounds.step(), granted}, {}};
    result.reaching = at_threshold(
        part, granted, [&](std::uint32_t least) { return frames_reaching(result.sums, least); });
    if (!sieve.lists_matter || count_bits(result.reaching) == 0) return result;
    if (sieve.list_sums == nullptr) sieve.list_sums = make_list_sums(part);
    std::array<std::uint16_t, kRowBits> all;
    std::copy_n(sieve.list_sums + std::size_t{place.block} * kRowBits, kRowBits, all.begin());
    add_row_sums(result.sums, all.data());
    const FrameBits with_lists = at_threshold(
        part, anyway, [&](std::uint32_t least) { return sums_reaching(all.data(), least); });
    result.reaching = result.reaching & with_lists;
    return result;
  }

  static const std::uint16_t* make_list_sums(const Part& part) {
    std::vector<std::uint16_t>& sums = sums_of_thread();
    sums.assign(part.segment.blocks() * kRowBits, 0);
    add_lists(part, sums.data());
    return sums.data();
  }

  /// Of one block: by plans of rising care, each of which takes longer, until few are left.
  void list_suspects(const Part& part, Sieve& sieve, const BlockPlace& place) {
    FrameBits may = parts_.eligible(part, place.block);
    BlockPlace here = place;
    const auto list_if_few = [&](const RowPlan& plan, std::uint32_t most) {
      const Counted counted = count(part, sieve, plan, here);
      may = may & counted.reaching;
      here.next = nullptr;  // on its way already
      if (count_bits(may) > most) return false;
      for_each_bit(may, [&](std::uint32_t i) {
        const std::uint64_t bound = counted.bound.of(counted.sums.of(i));
        suspects_.push_back({&part.segment, place.block * kRowBits + i, bound});
      });
      return true;
    };
    if (const RowPlan* plan = sieve.loose != nullptr ? sieve.loose->plan() : nullptr) {
      constexpr std::uint32_t kMost = 32;
      const bool enough = list_if_few(*plan, kMost);
      sieve.loose->counted(!enough);
      if (enough) return;
    }
    if (sieve.light) {
      constexpr std::uint32_t kMost = 16;
      if (list_if_few(part.bounds.whole_plan(), kMost)) return;
    }
    const double scale = part.segment.block(place.block).scale;
    constexpr std::uint32_t kMost = 64;
    const std::uint32_t most = part.bounds.has_rows() ? kMost : kRowBits;
    if (list_if_few(part.bounds.plan(scale, RowPlan::Grain::coarse), most)) return;
    list_if_few(part.bounds.plan(scale, RowPlan::Grain::fine), kRowBits);
  }

  void search(const Part& part) {
    Sieve sieve = make_sieve(part);
    SearchParts::for_each_block(part, [&](const BlockPlace& place) {
      list_suspects(part, sieve, place);
      // In batches: a low threshold would list the whole map.
      if (suspects_.size() >= kBatch) {
        scorer_.offer_sifted(suspects_);
        suspects_.clear();
      }
    });
  }

  SearchParts& parts_;
  FrameScorer& scorer_;
  const Collector& collector_;
  std::vector<Suspect> suspects_;
};

}  // namespace

void search_above_threshold(const FrameSearch& search) {
  ThresholdSearch(search).run();
}

}  // namespace looptree::detail
