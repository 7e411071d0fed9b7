// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "looptree/index/core/huge_pages.hpp"

namespace looptree::detail {

class SnapshotPiece;
class SnapshotSource;

/// The posting lists of a segment: for each rare word the slots, below 65536, of the frames that
/// have it, ascending. Words are so rare that finding a list costs more than reading it, so the
/// head of a list is 16 bytes and holds the first six slots itself.
class PostingLists {
 public:
  /// Slots that the head of a list holds itself.
  static constexpr std::uint32_t kInline = 6;

  explicit PostingLists(std::uint32_t vocabulary_size) : heads_(vocabulary_size) {}

  /// Slots of one word come in ascending order.
  void append(std::uint32_t word, std::uint16_t slot);
  /// Copies the lists of words [first, last) of another, as far as their slots lie below `slots`.
  /// Words come in ascending order, each once.
  void copy_from(const PostingLists& other, std::uint32_t first, std::uint32_t last,
                 std::uint32_t slots);
  /// Takes the slot that was appended last out of a word's list again.
  void pop(std::uint32_t word) noexcept;

  std::span<const std::uint16_t> list(std::uint32_t word) const {
    const Head& head = heads_[word];
    return {head.count <= kInline ? head.slots.data() : storage(head), head.count};
  }
  std::size_t count(std::uint32_t word) const { return heads_[word].count; }
  std::uint32_t words() const { return static_cast<std::uint32_t>(heads_.size()); }

  /// Of lists that are all empty still: has the system find their memory.
  void touch() { touch_zeroed(heads_.values().data(), heads_.values().size_bytes()); }

  /// Brings the head of a list nearer.
  void prefetch(std::uint32_t word) const { __builtin_prefetch(&heads_[word]); }

  std::size_t bytes() const;

  /// To a snapshot and back. What is loaded lies in the snapshot and keeps that. All slots are
  /// below `slots`. Throws Error(corruption) for what save() would not have written.
  void save(SnapshotPiece& piece) const;
  static std::unique_ptr<PostingLists> load(SnapshotSource& source, std::uint32_t vocabulary_size,
                                            std::uint32_t slots);

 private:
  static constexpr std::uint32_t kChunk = 1u << 17;  // longer than any list

  struct Head {
    std::uint32_t count = 0;
    /// The slots; of a longer list where they lie instead, in the first two.
    std::array<std::uint16_t, kInline> slots{};
  };

  static std::uint32_t where(const Head& head) {
    return head.slots[0] | std::uint32_t{head.slots[1]} << 16;
  }
  const std::uint16_t* storage(const Head& head) const {
    return chunks_[where(head) / kChunk].get() + where(head) % kChunk;
  }
  bool inside(std::uint64_t place, std::uint32_t capacity) const {
    return place / kChunk < chunks_.size() && place % kChunk + capacity <= kChunk;
  }
  bool sound(const Head& head, std::uint32_t slots) const;
  std::uint32_t allocate(std::uint32_t capacity_log2);
  void grow(Head& head);

  ZeroedTable<Head> heads_;
  LinePool pool_;
  std::vector<std::shared_ptr<std::uint16_t[]>> chunks_;  // of the pool, or of a snapshot
  std::uint32_t used_in_last_ = kChunk;
  std::array<std::vector<std::uint32_t>, 18> free_;  // by the logarithm of the capacity
};

}  // namespace looptree::detail
