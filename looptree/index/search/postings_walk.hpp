// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/index/core/workspace.hpp"
#include "looptree/index/frames/posting_lists.hpp"

namespace looptree::detail {

/// Calls visit(i, slots) for the posting list of word_of(i), i below `words`, in no particular
/// order.
///
/// Every list is somewhere else in memory. Heads are fetched long before they are read; short lists
/// come with them and are visited at once. Of a longer one only the first line is fetched then, and
/// all of it a few lists before it is read: of many requests at a time a processor drops the last.
template <typename WordOf, typename Visit>
void for_each_posting_list(const PostingLists& lists, std::size_t words, Workspace& workspace,
                           WordOf word_of, Visit visit) {
  constexpr std::size_t kHeadsAhead = 48;
  constexpr std::size_t kListsAhead = 8;
  constexpr std::size_t kPerLine = 64 / sizeof(std::uint16_t);
  struct LongList {
    std::span<const std::uint16_t> slots;
    std::size_t word;
  };
  ScratchVector<LongList> longer((ScratchAllocator<LongList>(workspace)));
  longer.reserve(words);
  for (std::size_t i = 0; i < words; ++i) {
    if (i + kHeadsAhead < words) lists.prefetch(word_of(i + kHeadsAhead));
    const std::span<const std::uint16_t> slots = lists.list(word_of(i));
    if (slots.size() <= PostingLists::kInline) {
      visit(i, slots);
      continue;
    }
    __builtin_prefetch(slots.data(), 0, 2);
    longer.push_back({slots, i});
  }
  for (std::size_t at = 0; at < longer.size(); ++at) {
    if (at + kListsAhead < longer.size()) {
      const std::span<const std::uint16_t> later = longer[at + kListsAhead].slots;
      for (std::size_t i = 0; i < later.size(); i += kPerLine) {
        __builtin_prefetch(later.data() + i, 0, 2);
      }
    }
    visit(longer[at].word, longer[at].slots);
  }
}

}  // namespace looptree::detail
