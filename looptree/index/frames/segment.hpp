// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "looptree/index/core/bits.hpp"
#include "looptree/index/core/huge_pages.hpp"
#include "looptree/index/frames/forward_entry.hpp"
#include "looptree/index/frames/posting_lists.hpp"
#include "looptree/index/frames/row_layout.hpp"
#include "looptree/index/frames/segment_room.hpp"

namespace looptree::detail {

/// Up to 512 frames side by side.
struct Block {
  Lines rows;                         ///< empty if the layout has none
  std::vector<ForwardEntry> forward;  ///< by position; an erased frame's has no bytes
  FrameBits alive;                    ///< the frames that are stored: nobody else keeps that
  std::uint32_t live = 0;             ///< how many they are
  double scale = 0;                   ///< the largest of its frames
};

/// What a block was at some time: its first frames, and the largest scale of these.
struct BlockPart {
  std::uint32_t frames = 0;
  double scale = 0;
};

/// A frame ready to be stored. Making one takes most of the work of an insertion, and needs neither
/// order nor lock.
struct PreparedFrame {
  PreparedFrame(FixedHistogram given, const IdfTable& idf)
      : words(std::move(given)),
        factors(factorize(words.view(), idf)),
        forward(words.view(), factors, idf) {}

  FixedHistogram words;
  Factors factors;
  ForwardEntry forward;
};

/// Up to 65536 frames: blocks with rows for the frequent words, and one set of posting lists for
/// the rare ones.
class Segment {
 public:
  static constexpr std::uint32_t kFrames = 1u << 16;

  /// How many frames tell which words are frequent, where no layout says so.
  static constexpr std::uint32_t kSampleFrames = kBlockFrames;

  /// `room`: what of its memory there is already.
  Segment(std::shared_ptr<const RowLayout> layout, const IdfTable& idf, SegmentRoom room = {});

  bool full() const { return slots() == kFrames; }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(ids_.size()); }
  std::uint32_t live() const { return live_; }
  std::uint32_t id(std::uint32_t slot) const { return ids_[slot]; }
  /// The slot of a frame; one past the last slot with a smaller id, if it is not here.
  std::uint32_t slot_of(std::uint32_t id) const;

  /// Adds a frame whose id is above those of all others. If memory runs out, nothing has changed.
  /// Its forward entry moves in, its words stay with the caller.
  void append(std::uint32_t id, PreparedFrame& frame);
  /// Takes the frame that was appended last, and has these words, out again.
  void pop(const FixedHistogram& words) noexcept;
  /// A stored frame.
  void erase(std::uint32_t slot);

  const Block& block(std::size_t i) const { return blocks_[i]; }
  std::size_t blocks() const { return blocks_.size(); }
  const ForwardEntry& forward(std::uint32_t slot) const {
    return blocks_[slot / kBlockFrames].forward[slot % kBlockFrames];
  }
  bool alive(std::uint32_t slot) const {
    return blocks_[slot / kBlockFrames].alive.test(slot % kBlockFrames);
  }
  /// Whether a frame of this id is stored here.
  bool contains(std::uint32_t id) const {
    const std::uint32_t slot = slot_of(id);
    return slot < slots() && ids_[slot] == id && alive(slot);
  }
  /// The largest scale of its frames, erased ones included.
  double scale() const { return scale_; }
  /// Document frequencies: per row, how many of counted() frames have the word. The frames are
  /// those of a sample of the full blocks, erased ones included. Empty before the first full block.
  const std::vector<std::uint32_t>& row_counts() const { return row_counts_; }
  std::uint32_t counted() const { return counted_; }
  const std::shared_ptr<const RowLayout>& layout() const { return layout_; }
  const PostingLists& postings() const { return *postings_; }

  /// The layout that its frames call for, erased ones included; the present one if that is near
  /// enough. Of a segment that has no rows: asked once, when it has kSampleFrames; of any other:
  /// when it is full. Cost: that of its rows, not of the vocabulary.
  /// `room` for it, if there is some already.
  std::shared_ptr<const RowLayout> better_layout(std::optional<RowLayout::Table> room) const;
  /// The lines of a block under that layout, at most, as far as can be told before it is asked for.
  std::size_t lines_to_come(std::size_t words_of_a_frame) const;
  /// Notes anew which words are frequent: in its first kSampleFrames, if it has no rows and is to
  /// be asked so; otherwise in all the frames that it will have.
  void note_frequent_again(bool sampling);

  std::size_t bytes() const;

  /// To a snapshot in pieces, and back: the head, every block, the posting lists. What was loaded
  /// answers as what was saved; `layout` is that of the head or, where it names none, of the
  /// segment before. Throws Error(corruption) for what save would not have written.
  void save_head(SnapshotPiece& piece, const RowLayout* before) const;
  void save_block(SnapshotPiece& piece, std::size_t block, BlockPart part) const;
  /// Its rows [first, last), which follow that.
  void save_rows(SnapshotPiece& piece, std::size_t block, BlockPart part, std::size_t first,
                 std::size_t last) const;
  static std::shared_ptr<const RowLayout> load_layout(SnapshotSource& source,
                                                      std::shared_ptr<const RowLayout> before,
                                                      std::uint32_t vocabulary_size);
  static std::unique_ptr<Segment> load(SnapshotSource& source,
                                       std::shared_ptr<const RowLayout> layout,
                                       const IdfTable& idf);

 private:
  void prepare_next_block() noexcept;
  void add_words(std::uint32_t slot, const PreparedFrame& frame);
  void remove_words(std::uint32_t slot, std::span<const std::uint32_t> words) noexcept;
  /// Notes words whose lists grow long enough for a row.
  void note_frequent(std::uint32_t word);
  std::uint32_t frequent_among(std::uint32_t frames) const;
  /// Adds the last block, which is full, to the document frequencies if it is one of the sample.
  void count_rows();
  void load_ids(SnapshotSource& source);
  void load_block(SnapshotSource& source);

  const IdfTable& idf_;
  std::shared_ptr<const RowLayout> layout_;
  LinePool lines_;
  Lines ahead_;                            // for the rows of the next block
  std::vector<Block> blocks_;              // side by side, since a search reads all of their heads
  std::vector<std::uint32_t> row_counts_;  // bits set in the sample of blocks
  std::uint32_t counted_ = 0;              // frames of these
  std::unique_ptr<PostingLists> postings_;
  std::vector<std::uint32_t> frequent_;  // words whose lists have reached frequent_at_
  bool sampling_;                        // whether only the first frames count
  std::uint32_t frequent_at_;
  std::vector<std::uint32_t> ids_;  // by slot, ascending
  std::uint32_t live_ = 0;
  double scale_ = 0;
  std::shared_ptr<const void> snapshot_;  // keeps the bytes of forward entries that lie in one
};

}  // namespace looptree::detail
