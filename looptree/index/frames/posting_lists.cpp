// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/frames/posting_lists.hpp"

#include <algorithm>
#include <bit>

namespace looptree::detail {
namespace {

constexpr std::uint32_t kFirstLog2 = 4;  // a list that outgrows its head gets room for 16

}  // namespace

std::uint32_t PostingLists::allocate(std::uint32_t capacity_log2) {
  if (auto& free = free_[capacity_log2]; !free.empty()) {
    const std::uint32_t place = free.back();
    free.pop_back();
    return place;
  }
  const std::uint32_t capacity = 1u << capacity_log2;
  if (used_in_last_ + capacity > kChunk) {
    const Lines lines = pool_.allocate(kChunk * sizeof(std::uint16_t) / kLine);
    chunks_.emplace_back(lines.owner(), reinterpret_cast<std::uint16_t*>(lines.owner().get()));
    used_in_last_ = 0;
  }
  const auto place = static_cast<std::uint32_t>((chunks_.size() - 1) * kChunk + used_in_last_);
  used_in_last_ += capacity;
  return place;
}

/// Moves a full list to where it has twice the room.
void PostingLists::grow(Head& head) {
  const bool inside = head.count == kInline;
  const std::uint32_t log2 =
      inside ? kFirstLog2 : static_cast<std::uint32_t>(std::bit_width(head.count));
  const std::uint32_t place = allocate(log2);
  const std::uint16_t* from = inside ? head.slots.data() : storage(head);
  std::copy_n(from, head.count, chunks_[place / kChunk].get() + place % kChunk);
  if (!inside) free_[log2 - 1].push_back(where(head));
  head.slots[0] = static_cast<std::uint16_t>(place);
  head.slots[1] = static_cast<std::uint16_t>(place >> 16);
}

void PostingLists::append(std::uint32_t word, std::uint16_t slot) {
  Head& head = heads_[word];
  const bool full = head.count == kInline ||
                    (head.count >= (1u << kFirstLog2) && std::has_single_bit(head.count));
  if (full) grow(head);
  std::uint16_t* list = head.count < kInline
                            ? head.slots.data()
                            : chunks_[where(head) / kChunk].get() + where(head) % kChunk;
  list[head.count++] = slot;
}

void PostingLists::copy_from(const PostingLists& other, std::uint32_t first, std::uint32_t last,
                             std::uint32_t slots) {
  for (std::uint32_t word = first; word < last; ++word) {
    const std::span<const std::uint16_t> whole = other.list(word);
    auto end = whole.end();
    while (end != whole.begin() && *(end - 1) >= slots) --end;
    const std::span<const std::uint16_t> list(whole.begin(), end);
    if (list.empty()) continue;  // heads of words nobody has are not touched
    Head& head = heads_[word];
    head.count = static_cast<std::uint32_t>(list.size());
    std::uint16_t* to = head.slots.data();
    if (list.size() > kInline) {
      const std::uint32_t place = allocate(
          std::max(kFirstLog2, static_cast<std::uint32_t>(std::bit_width(list.size() - 1))));
      head.slots[0] = static_cast<std::uint16_t>(place);
      head.slots[1] = static_cast<std::uint16_t>(place >> 16);
      to = chunks_[place / kChunk].get() + place % kChunk;
    }
    std::copy(list.begin(), list.end(), to);
  }
}

void PostingLists::pop(std::uint32_t word) noexcept {
  Head& head = heads_[word];
  // A list that has just outgrown its head moves back, so that its form follows from its length.
  if (head.count == kInline + 1) {
    const std::uint32_t place = where(head);
    const std::uint16_t* from = storage(head);
    std::copy_n(from, kInline, head.slots.begin());
    // Out of memory is when this happens, so a free list that has no room forgets the place.
    auto& free = free_[kFirstLog2];
    if (free.size() < free.capacity()) free.push_back(place);
  }
  --head.count;
}

std::size_t PostingLists::bytes() const {
  std::size_t bytes = heads_.bytes() + pool_.unused_bytes() +
                      chunks_.capacity() * sizeof(chunks_[0]) +
                      chunks_.size() * kChunk * sizeof(std::uint16_t);
  for (const auto& free : free_) bytes += free.capacity() * sizeof(free[0]);
  return bytes;
}

}  // namespace looptree::detail
