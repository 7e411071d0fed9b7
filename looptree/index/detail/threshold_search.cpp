// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <vector>

#include "looptree/index/detail/frame_search.hpp"

namespace looptree::detail {
namespace {

using Part = SearchParts::Part;
using BlockPlace = SearchParts::BlockPlace;

/// Suspects that are scored in one go.
constexpr std::size_t kBatch = 64;

/// How the frames of a segment that may reach the threshold are told from the others.
struct Sieve {
  std::uint64_t granted;  ///< what any frame may score besides rows and lists
  std::uint16_t* sums;    ///< what lists add, by slot; null where that is granted, too
  LoosePlans* loose;      ///< null where only tight plans are used, as with sums
};

class ThresholdSearch {
 public:
  explicit ThresholdSearch(const FrameSearch& search)
      : parts_(search.parts), scorer_(search.scorer), collector_(search.collector) {}

  void run() {
    parts_.for_each_part([this](const Part& part) { search(part); });
    scorer_.offer(suspects_);
  }

 private:
  Sieve make_sieve(const Part& part) const {
    const FixedWeight threshold = collector_.threshold();
    Sieve sieve{part.bounds.remainder(), nullptr, nullptr};
    // Where lists can add next to nothing, it is taken for granted: that spares a sum per frame.
    constexpr std::uint64_t kNextToNothing = 32;
    const std::uint64_t listed = part.bounds.listed_total();
    if (!part.bounds.has_rows() || listed * kNextToNothing > threshold) {
      std::vector<std::uint16_t>& sums = sums_of_thread();
      sums.assign(part.segment.blocks() * kRowBits, 0);
      add_lists(part, sums.data());
      sieve.sums = sums.data();
      return sieve;
    }
    sieve.granted += listed;
    // In a small map a loose plan would take as long to make as it saves.
    constexpr std::uint32_t kMany = 16 * kRowBits;
    const bool many = parts_.range() >= kMany;
    if (many && threshold > sieve.granted && !part.segment.row_counts().empty()) {
      sieve.loose = &part.bounds.loose_plans({part.segment.row_counts(), part.segment.counted(),
                                              threshold - sieve.granted, part.segment.scale()});
    }
    return sieve;
  }

  /// The frames of a block that may reach the threshold by this plan. Sums are used up.
  FrameBits reaching(const Part& part, const Sieve& sieve, const RowPlan& plan,
                     const BlockPlace& place) const {
    const std::uint64_t remainder = sieve.granted + plan.remainder;
    if (collector_.threshold() <= remainder) return range_bits(0, kRowBits);
    const SumBound bound{part.bounds.step(), remainder};
    const std::uint32_t least = bound.least(collector_.threshold());
    const BlockRows rows = parts_.rows(part, place);
    if (sieve.sums == nullptr) return frames_reaching(plan, least, rows);
    std::uint16_t* sums = sieve.sums + std::size_t{place.block} * kRowBits;
    if (plan.units() > 0) add_frame_sums(plan, rows, sums);
    return sums_reaching(sums, least);
  }

  /// By plans of rising care, each of which takes longer, until few are left.
  FrameBits suspects_of(const Part& part, const Sieve& sieve, const BlockPlace& place) const {
    FrameBits may = parts_.eligible(part, place.block);
    BlockPlace here = place;
    const auto few = [&](const RowPlan& plan, std::uint32_t most) {
      may = may & reaching(part, sieve, plan, here);
      here.next = nullptr;  // on its way already
      return count_bits(may) <= most;
    };
    if (const RowPlan* plan = sieve.loose != nullptr ? sieve.loose->plan() : nullptr) {
      constexpr std::uint32_t kMost = 16;
      const bool enough = few(*plan, kMost);
      sieve.loose->counted(!enough);
      if (enough) return may;
    }
    const double scale = part.segment.block(place.block).scale;
    constexpr std::uint32_t kMost = 32;
    const bool enough = few(part.bounds.plan(scale, RowPlan::Grain::coarse), kMost);
    if (!enough && sieve.sums == nullptr) {
      few(part.bounds.plan(scale, RowPlan::Grain::fine), 0);
    }
    return may;
  }

  void search(const Part& part) {
    const Sieve sieve = make_sieve(part);
    SearchParts::for_each_block(part, [&](const BlockPlace& place) {
      for_each_bit(suspects_of(part, sieve, place), [&](std::uint32_t i) {
        suspects_.push_back({&part.segment, place.block * kRowBits + i, ~std::uint64_t{0}});
      });
      // In batches: a low threshold would list the whole map.
      if (suspects_.size() >= kBatch) {
        scorer_.offer(suspects_);
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
