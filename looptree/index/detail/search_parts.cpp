// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/search_parts.hpp"

#include <algorithm>
#include <span>

namespace looptree::detail {
namespace {

void prefetch(std::span<const std::uint16_t> list) {
  constexpr std::size_t kPerLine = kLine / sizeof(std::uint16_t);
  for (std::size_t at = 0; at < list.size(); at += kPerLine) {
    __builtin_prefetch(list.data() + at, 0, 2);
  }
}

}  // namespace

SearchParts::SearchParts(const FrameSegments& frames, const Terms& query,
                         const Candidates& candidates)
    : frames_(frames), query_(query), candidates_(candidates) {
  // About a line per word and block.
  const std::uint64_t blocks = range() / kRowBits;
  far_ = is_far(blocks * query.size());
}

void SearchParts::prefetch_head(const Block& block) {
  const auto* bytes = reinterpret_cast<const char*>(&block);
  for (std::size_t at = 0; at < sizeof(Block); at += kLine) __builtin_prefetch(bytes + at);
}

QueryBounds& SearchParts::bounds(const Segment& segment) {
  const RowLayout* layout = segment.layout().get();
  return bounds_.try_emplace(layout, query_, *layout).first->second;
}

FrameBits SearchParts::eligible(const Part& part, std::uint32_t block) const {
  const std::uint32_t begin = block * kRowBits;
  const FrameBits bits =
      range_bits(part.first - std::min(part.first, begin), std::min(part.last - begin, kRowBits)) &
      part.segment.block(block).alive;
  return candidates_.listed ? bits & listed(part.segment, block) : bits;
}

FrameBits SearchParts::listed(const Segment& segment, std::uint32_t block) const {
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

std::vector<std::uint16_t>& sums_of_thread() {
  thread_local std::vector<std::uint16_t> sums;
  return sums;
}

/// Short lists came with their heads. Of the others only the first line is asked for at once, and
/// all of it a few lists before it is read: of many requests at a time a processor drops the last.
void add_lists(const SearchParts::Part& part, std::uint16_t* sums) {
  constexpr std::size_t kHeadsAhead = 48;
  constexpr std::size_t kListsAhead = 8;
  constexpr std::size_t kShort = 6;
  const auto& listed = part.bounds.listed();
  const WordLists& lists = part.segment.lists();
  struct LongList {
    std::span<const std::uint16_t> slots;
    std::uint16_t level;
  };
  std::vector<LongList> longer;
  longer.reserve(listed.size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    if (i + kHeadsAhead < listed.size()) lists.prefetch(listed[i + kHeadsAhead].word);
    const std::span<const std::uint16_t> list = lists.list(listed[i].word);
    if (list.size() > kShort) {
      __builtin_prefetch(list.data(), 0, 2);
      longer.push_back({list, listed[i].level});
      continue;
    }
    for (const std::uint16_t slot : list) sums[slot] += listed[i].level;
  }
  for (std::size_t i = 0; i < longer.size(); ++i) {
    if (i + kListsAhead < longer.size()) prefetch(longer[i + kListsAhead].slots);
    for (const std::uint16_t slot : longer[i].slots) sums[slot] += longer[i].level;
  }
}

}  // namespace looptree::detail
