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
  auto longer = scratch<std::uint32_t>(workspace, words);
  std::size_t count = 0;
  for (std::size_t i = 0; i < words; ++i) {
    if (i + kHeadsAhead < words) lists.prefetch(word_of(i + kHeadsAhead));
    const std::span<const std::uint16_t> slots = lists.list(word_of(i));
    if (slots.size() <= PostingLists::kInline) {
      visit(i, slots);
      continue;
    }
    __builtin_prefetch(slots.data(), 0, 2);
    longer[count++] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t at = 0; at < count; ++at) {
    if (at + kListsAhead < count) {
      const std::span<const std::uint16_t> later = lists.list(word_of(longer[at + kListsAhead]));
      for (std::size_t i = 0; i < later.size(); i += kPerLine) {
        __builtin_prefetch(later.data() + i, 0, 2);
      }
    }
    visit(longer[at], lists.list(word_of(longer[at])));
  }
}

}  // namespace looptree::detail
