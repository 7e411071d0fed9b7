// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "looptree/index/detail/forward_list.hpp"
#include "looptree/index/detail/frame_bits.hpp"
#include "looptree/index/detail/large_memory.hpp"
#include "looptree/index/detail/lines.hpp"
#include "looptree/index/detail/row_layout.hpp"
#include "looptree/index/detail/word_lists.hpp"

namespace looptree::detail {

/// Up to 512 frames.
struct Block {
  Lines rows;                        // empty if the layout has none
  std::vector<ForwardList> forward;  // by position; an erased frame's is empty
  FrameBits alive;
  std::uint32_t live = 0;
  double scale = 0;  // the largest of its frames
};

/// Up to 65536 frames: blocks of them for the frequent words, one set of lists for the rare.
class Segment {
 public:
  static constexpr std::uint32_t kFrames = 1u << 16;

  Segment(std::shared_ptr<const RowLayout> layout, const WordUnits& units);

  bool full() const { return slots() == kFrames; }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(ids_.size()); }
  std::uint32_t live() const { return live_; }
  std::uint32_t id(std::uint32_t slot) const { return ids_[slot]; }
  /// The slot of a frame; one past the last slot with a smaller id, if it is not here.
  std::uint32_t slot_of(std::uint32_t id) const;

  void append(std::uint32_t id, const Terms& terms, const Factors& factors, ForwardList forward);
  void erase(std::uint32_t slot);

  const Block& block(std::size_t i) const { return blocks_[i]; }
  std::size_t blocks() const { return blocks_.size(); }
  const ForwardList& forward(std::uint32_t slot) const {
    return blocks_[slot / kRowBits].forward[slot % kRowBits];
  }
  bool alive(std::uint32_t slot) const {
    const Block& block = blocks_[slot / kRowBits];
    return (block.alive.words[slot % kRowBits / 64] >> (slot % 64) & 1) != 0;
  }
  /// The largest scale of its frames; of those erased, too.
  double scale() const { return scale_; }
  /// Per row, how many of counted() frames have the word: those of a sample of the blocks that are
  /// full. Empty before the first of them. What was erased since then still counts.
  const std::vector<std::uint32_t>& row_counts() const { return row_counts_; }
  std::uint32_t counted() const { return counted_; }
  const std::shared_ptr<const RowLayout>& layout() const { return layout_; }
  const WordLists& lists() const { return *lists_; }

  /// The layout that the frames stored now call for; the present one if that is near enough.
  std::shared_ptr<const RowLayout> better_layout() const;
  /// The same frames, without the erased ones, under another layout.
  std::unique_ptr<Segment> repacked(std::shared_ptr<const RowLayout> layout) const;

  std::size_t bytes() const;

  /// To a snapshot in pieces, and back: the head, every block, the lists. What was loaded answers
  /// as what was saved; `layout` is that of the head or, where it names none, of the segment
  /// before. Throws Error(corruption) for what save would not have written.
  void save_head(SnapshotPiece& piece, const RowLayout* before) const;
  void save_block(SnapshotPiece& piece, std::size_t block) const;
  void save_lists(SnapshotPiece& piece) const { lists_->save(piece); }
  static std::shared_ptr<const RowLayout> load_layout(SnapshotSource& source,
                                                      std::shared_ptr<const RowLayout> before,
                                                      const WordUnits& units);
  static std::unique_ptr<Segment> load(SnapshotSource& source,
                                       std::shared_ptr<const RowLayout> layout,
                                       const WordUnits& units);

 private:
  /// Of the last block, once it is full.
  void add_words(std::uint32_t slot, const Terms& terms, const Factors& factors);
  void count_rows();
  void load_ids(SnapshotSource& source);
  void load_block(SnapshotSource& source);

  const WordUnits& units_;
  std::shared_ptr<const RowLayout> layout_;
  LinePool lines_;
  std::vector<Block> blocks_;              // side by side, since a search reads all of their heads
  std::vector<std::uint32_t> row_counts_;  // bits set in the sample of blocks
  std::uint32_t counted_ = 0;              // frames of these
  std::unique_ptr<WordLists> lists_;
  std::vector<std::uint32_t> ids_;  // by slot, ascending
  std::uint32_t live_ = 0;
  double scale_ = 0;
  std::shared_ptr<const void> snapshot_;  // keeps the bytes of forward lists that lie in one
};

/// A frame ready to be stored. Making one takes most of the work of an insertion, and needs neither
/// order nor lock.
struct PreparedFrame {
  PreparedFrame(OwnedTerms given, const WordUnits& units)
      : terms(std::move(given)),
        factors(factorize(terms.view(), units)),
        forward(terms.view(), factors, units) {}

  OwnedTerms terms;
  Factors factors;
  ForwardList forward;
};

}  // namespace looptree::detail
