// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/search/scan.hpp"

#include <algorithm>

#include "looptree/index/search/postings_walk.hpp"

namespace looptree::detail {

Scan::Scan(const FrameLayer& frames, const FixedView& query, const Candidates& candidates,
           Workspace& workspace)
    : frames_(frames), query_(query), candidates_(candidates), workspace_(workspace) {
  // About a line per word and block.
  const std::uint64_t blocks = range() / kBlockFrames;
  far_ = is_far(blocks * query.size());
}

void Scan::prefetch_head(const Block& block) {
  const auto* bytes = reinterpret_cast<const char*>(&block);
  for (std::size_t at = 0; at < sizeof(Block); at += kLine) __builtin_prefetch(bytes + at);
}

BoundPlans& Scan::plans(const Segment& segment) {
  const RowLayout* layout = segment.layout().get();
  return plans_.try_emplace(layout, query_, *layout, frames_.idf(), workspace_).first->second;
}

FrameBits Scan::eligible(const Part& part, std::uint32_t block) const {
  const std::uint32_t begin = block * kBlockFrames;
  const FrameBits bits = range_bits(part.first - std::min(part.first, begin),
                                    std::min(part.last - begin, kBlockFrames)) &
                         part.segment.block(block).alive;
  return candidates_.listed ? bits & listed(part.segment, block) : bits;
}

FrameBits Scan::listed(const Segment& segment, std::uint32_t block) const {
  FrameBits bits;
  const std::uint32_t begin = block * kBlockFrames;
  const std::uint32_t end = std::min(begin + kBlockFrames, segment.slots());
  const auto& items = candidates_.items;
  auto item = std::lower_bound(items.begin(), items.end(), segment.id(begin));
  for (std::uint32_t slot = begin; slot < end && item != items.end(); ++slot) {
    while (item != items.end() && *item < segment.id(slot)) ++item;
    if (item != items.end() && *item == segment.id(slot)) bits.set(slot - begin);
  }
  return bits;
}

void add_postings(const Scan::Part& part, Workspace& workspace, std::uint16_t* sums) {
  const auto& words = part.plans.rare_words();
  for_each_posting_list(
      part.segment.postings(), words.size(), workspace,
      [&](std::size_t i) { return words[i].word; },
      [&](std::size_t i, std::span<const std::uint16_t> slots) {
        for (const std::uint16_t slot : slots) sums[slot] += words[i].impact;
      });
}

}  // namespace looptree::detail
