// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "looptree/index/detail/frame_bits.hpp"
#include "looptree/index/detail/frame_scorer.hpp"
#include "looptree/index/detail/frame_segments.hpp"
#include "looptree/index/detail/query_bounds.hpp"

namespace looptree::detail {
namespace {

/// Sums by slot: every query of a thread needs them again, and allocating takes long.
std::vector<std::uint16_t>& sums_of_thread() {
  thread_local std::vector<std::uint16_t> sums;
  return sums;
}

/// What a search reads of a block besides its rows. Far apart in time, so no longer in a cache.
void prefetch_head(const Block& block) {
  const auto* bytes = reinterpret_cast<const char*>(&block);
  for (std::size_t at = 0; at < sizeof(Block); at += kLine) __builtin_prefetch(bytes + at);
}

/// Suspects that are scored in one go.
constexpr std::size_t kBatch = 64;

/// One search over the segments.
class FrameSearch {
 public:
  FrameSearch(const FrameSegments& frames, const Terms& query, const Candidates& candidates,
              Collector& collector)
      : frames_(frames),
        query_(query),
        candidates_(candidates),
        collector_(collector),
        scorer_(query, frames.units(), collector) {}

  void run() {
    if (few_listed()) {
      score_listed();
    } else if (cuts()) {
      search_best_first();
    } else {
      for_each_part([this](const Part& part) { search_above_threshold(part); });
      scorer_.offer(suspects_);
    }
  }

 private:
  /// The slots of one segment that lie in the range of the search.
  struct Part {
    const Segment& segment;
    QueryBounds& bounds;
    std::uint32_t first;
    std::uint32_t last;
  };

  /// Where the sums of a block lie in the scratch, and how to read them.
  struct BlockSums {
    const Segment& segment;
    std::uint32_t block;
    std::size_t at;
    FixedWeight step;
    std::uint64_t remainder;

    std::uint64_t bound(std::uint16_t sum) const { return remainder + std::uint64_t{sum} * step; }
    /// The least sum above zero whose bound reaches the threshold.
    std::uint32_t least(std::uint64_t threshold) const {
      if (threshold <= remainder + step) return 1;
      return static_cast<std::uint32_t>(
          std::min<std::uint64_t>((threshold - remainder + step - 1) / step, RowPlan::kMaxSum + 1));
    }
  };

  /// About a line per word and block.
  bool far() const {
    const std::uint64_t blocks = (candidates_.last - candidates_.first) / kRowBits;
    return is_far(blocks * query_.size());
  }

  /// Whether some of the candidates will be cut off for being too many.
  bool cuts() const { return collector_.limit() < candidates_.size(); }

  /// Scoring a frame takes about as long as bounding a third of a block.
  bool few_listed() const {
    return candidates_.listed &&
           candidates_.items.size() < (candidates_.last - candidates_.first) / 128 + 16;
  }

  void score_listed() {
    for (const std::uint32_t frame : candidates_.items) {
      if (frames_.segments().empty()) return;
      const Segment& segment = frames_.segment_of(frame);
      const std::uint32_t slot = segment.slot_of(frame);
      if (slot < segment.slots() && segment.id(slot) == frame) {
        scorer_.offer(segment, slot);
      }
    }
  }

  template <typename Visit>
  void for_each_part(Visit visit) {
    for (const auto& segment : frames_.segments()) {
      const std::uint32_t first = segment->slot_of(candidates_.first);
      const std::uint32_t last = segment->slot_of(candidates_.last);
      if (first < last) visit(Part{*segment, bounds(*segment), first, last});
    }
  }

  /// A block, and the rows of the next, or null.
  struct BlockPlace {
    std::uint32_t block;
    const std::uint8_t* next;
  };

  /// Visits those of the part that hold frames.
  template <typename Visit>
  void for_each_block(const Part& part, Visit visit) {
    const std::uint32_t last = (part.last - 1) / kRowBits;
    for (std::uint32_t block = part.first / kRowBits; block <= last; ++block) {
      const std::uint8_t* next = block < last ? part.segment.block(block + 1).rows.data() : nullptr;
      if (block + 2 <= last) prefetch_head(part.segment.block(block + 2));
      if (part.segment.block(block).live > 0) visit(BlockPlace{block, next});
    }
  }

  /// Segments mostly share their layout, and so the plans.
  QueryBounds& bounds(const Segment& segment) {
    const RowLayout* layout = segment.layout().get();
    return bounds_.try_emplace(layout, query_, *layout).first->second;
  }

  /// The frames of a block that may be returned at all.
  FrameBits eligible(const Part& part, std::uint32_t block) const {
    const std::uint32_t begin = block * kRowBits;
    const FrameBits bits = range_bits(part.first - std::min(part.first, begin),
                                      std::min(part.last - begin, kRowBits)) &
                           part.segment.block(block).alive;
    return candidates_.listed ? bits & listed(part.segment, block) : bits;
  }

  FrameBits listed(const Segment& segment, std::uint32_t block) const {
    FrameBits bits;
    const std::uint32_t begin = block * kRowBits;
    const std::uint32_t end = std::min(begin + kRowBits, segment.slots());
    const auto& items = candidates_.items;
    auto item = std::lower_bound(items.begin(), items.end(), segment.id(begin));
    for (std::uint32_t slot = begin; slot < end && item != items.end(); ++slot) {
      while (item != items.end() && *item < segment.id(slot)) ++item;
      if (item != items.end() && *item == segment.id(slot)) set(bits, slot - begin);
    }
    return bits;
  }

  /// Adds to each slot's sum what the listed words may give it.
  static void add_lists(const Part& part, std::uint16_t* sums) {
    constexpr std::size_t kAhead = 24;
    constexpr std::size_t kShort = 6;  // these came with their heads
    constexpr std::size_t kPerLine = kLine / sizeof(std::uint16_t);
    const auto& listed = part.bounds.listed();
    const WordLists& lists = part.segment.lists();
    std::vector<std::pair<std::span<const std::uint16_t>, std::uint16_t>> longer;
    longer.reserve(listed.size());
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (i + kAhead < listed.size()) lists.prefetch(listed[i + kAhead].word);
      const std::span<const std::uint16_t> list = lists.list(listed[i].word);
      if (list.size() > kShort) {
        for (std::size_t at = 0; at < list.size(); at += kPerLine) {
          __builtin_prefetch(list.data() + at, 0, 2);
        }
        longer.emplace_back(list, listed[i].level);
        continue;
      }
      for (const std::uint16_t slot : list) sums[slot] += listed[i].level;
    }
    for (const auto& [list, level] : longer) {
      for (const std::uint16_t slot : list) sums[slot] += level;
    }
  }

  /// How the frames of a segment that may reach the threshold are told from the others.
  struct Sieve {
    std::uint64_t granted;  ///< what any frame may score besides rows and lists
    std::uint16_t* sums;    ///< what lists add, by slot; null where that is granted, too
    LoosePlans* loose;      ///< null where only tight plans are used, as with sums
  };

  Sieve make_sieve(const Part& part) {
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
    const bool many = candidates_.last - candidates_.first >= kMany;
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
    const BlockSums read{part.segment, place.block, 0, part.bounds.step(), remainder};
    const std::uint32_t least = read.least(collector_.threshold());
    const BlockRows rows{part.segment.block(place.block).rows.data(), place.next, far()};
    if (sieve.sums == nullptr) return frames_reaching(plan, least, rows);
    std::uint16_t* sums = sieve.sums + std::size_t{place.block} * kRowBits;
    if (plan.units() > 0) add_frame_sums(plan, rows, sums);
    return sums_reaching(sums, least);
  }

  FrameBits suspects_of(const Part& part, const Sieve& sieve, const BlockPlace& place) {
    // More than these are not scored before a tight plan has seen them.
    constexpr std::uint32_t kFew = 16;
    FrameBits may = eligible(part, place.block);
    BlockPlace tight = place;
    if (const RowPlan* plan = sieve.loose != nullptr ? sieve.loose->plan() : nullptr) {
      may = may & reaching(part, sieve, *plan, place);
      const bool again = count_bits(may) > kFew;
      sieve.loose->counted(again);
      if (!again) return may;
      tight.next = nullptr;  // on its way already
    }
    const RowPlan& plan = part.bounds.plan(part.segment.block(place.block).scale);
    return may & reaching(part, sieve, plan, tight);
  }

  void search_above_threshold(const Part& part) {
    const Sieve sieve = make_sieve(part);
    for_each_block(part, [&](const BlockPlace& place) {
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

  /// Bounds first, of all frames; then scores, from the best bound down, until no bound is left
  /// above the scores found. With a threshold, too: a low one lets nearly all frames through.
  void search_best_first() {
    std::vector<BlockSums> blocks;
    std::vector<std::uint16_t>& sums = sums_of_thread();
    sums.clear();
    for_each_part([&](const Part& part) { sum_blocks(part, blocks, sums); });
    std::uint64_t above = ~std::uint64_t{0};
    std::uint64_t floor =
        std::max<std::uint64_t>(first_floor(blocks, sums), collector_.threshold());
    while (true) {
      suspects_.clear();
      for (const BlockSums& block : blocks) suspect_between(block, sums, floor, above);
      scorer_.offer_best_first(suspects_);
      if (floor <= collector_.threshold()) return;
      above = floor;
      // Not enough frames passed the filter: look lower, but not at everything at once.
      floor = std::max<std::uint64_t>(collector_.threshold(),
                                      collector_.full() ? 1 : above - above / 8 - 1);
    }
  }

  void sum_blocks(const Part& part, std::vector<BlockSums>& blocks,
                  std::vector<std::uint16_t>& sums) {
    const bool rows = part.bounds.has_rows();
    const std::size_t base = sums.size();
    sums.resize(base + part.segment.blocks() * kRowBits, 0);
    add_lists(part, sums.data() + base);
    for_each_block(part, [&](const BlockPlace& place) {
      const std::uint32_t block = place.block;
      const std::size_t at = base + std::size_t{block} * kRowBits;
      std::uint64_t remainder = part.bounds.remainder();
      if (rows) {
        const RowPlan& plan = part.bounds.plan(part.segment.block(block).scale);
        const BlockRows read{part.segment.block(block).rows.data(), place.next, far()};
        add_frame_sums(plan, read, sums.data() + at);
        remainder += plan.remainder;
      }
      // One, not zero, for the rest: a remainder may be all that a frame has.
      keep_sums(eligible(part, block), remainder > 0 ? 1 : 0, sums.data() + at);
      blocks.push_back({part.segment, block, at, part.bounds.step(), remainder});
    });
  }

  /// A bound that at least as many frames reach as are wanted, and not many more: of the highest
  /// bounds of small sets of frames. The frames of a set lie apart, since places seen again come in
  /// runs.
  std::uint64_t first_floor(const std::vector<BlockSums>& blocks,
                            const std::vector<std::uint16_t>& sums) const {
    constexpr std::uint32_t kSets = 32;
    std::vector<std::uint64_t> best;
    best.reserve(blocks.size() * kSets);
    for (const BlockSums& block : blocks) {
      std::array<std::uint16_t, kSets> highest{};
      for (std::uint32_t i = 0; i < kRowBits; ++i) {
        highest[i % kSets] = std::max(highest[i % kSets], sums[block.at + i]);
      }
      for (const std::uint16_t sum : highest) best.push_back(block.bound(sum));
    }
    const std::size_t wanted = collector_.limit();
    if (wanted > best.size()) return 1;
    std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(wanted - 1),
                     best.end(), std::greater<>());
    return std::max<std::uint64_t>(best[wanted - 1], 1);
  }

  /// Suspects the frames of a block whose bound lies in [floor, above).
  void suspect_between(const BlockSums& block, const std::vector<std::uint16_t>& sums,
                       std::uint64_t floor, std::uint64_t above) {
    const std::uint16_t* at = sums.data() + block.at;
    for_each_bit(sums_reaching(at, block.least(floor)), [&](std::uint32_t i) {
      const std::uint64_t bound = block.bound(at[i]);
      if (bound < above) suspects_.push_back({&block.segment, block.block * kRowBits + i, bound});
    });
  }

  const FrameSegments& frames_;
  const Terms& query_;
  const Candidates& candidates_;
  Collector& collector_;
  FrameScorer scorer_;
  std::vector<Suspect> suspects_;
  std::map<const RowLayout*, QueryBounds> bounds_;
};

}  // namespace

void FrameSegments::search(const Terms& query, const Candidates& candidates,
                           Collector& collector) const {
  FrameSearch(*this, query, candidates, collector).run();
}

}  // namespace looptree::detail
