// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "looptree/index/core/beside.hpp"
#include "looptree/index/frames/repacking.hpp"
#include "looptree/index/frames/segment.hpp"

namespace looptree::detail {

/// Layer 0: the frames, in segments of blocks. Not synchronised: PooledIndex lets any number of
/// readers or one writer in. How they are searched is search/'s business.
class FrameLayer {
 public:
  /// `idf` outlives it.
  explicit FrameLayer(const IdfTable& idf) : idf_(idf) {}

  /// Adds a frame whose id is above those of all others. If memory runs out, nothing has changed.
  /// True if frames before it were arranged anew. No call takes much longer than others: what is
  /// to be arranged anew is, a few frames at a time, by those that follow.
  /// Its forward entry moves in, its words stay with the caller.
  bool append(std::uint32_t id, PreparedFrame& frame);
  /// Takes the frame that was appended last, and has these words, out again.
  void pop(const FixedHistogram& words) noexcept;
  /// A stored frame; a search never meets it again.
  void erase(std::uint32_t frame);
  /// Segments made with the same idf, instead of those it has.
  void restore(std::vector<std::unique_ptr<Segment>> segments) {
    repacking_.reset();
    room_ = {};
    segments_ = std::move(segments);
    chosen_ = false;
    for (const auto& segment : segments_)
      segment->note_frequent_again(segment == segments_.front());
  }

  /// How many frames are stored.
  std::size_t size() const;
  bool contains(std::uint32_t frame) const {
    return !segments_.empty() && segment_of(frame).contains(frame);
  }
  /// The words of a stored frame.
  FixedHistogram words(std::uint32_t frame) const;
  std::size_t bytes() const;

  const IdfTable& idf() const { return idf_; }
  /// By ascending ids; empty ones do not occur, save perhaps the last.
  const std::vector<std::unique_ptr<Segment>>& segments() const { return segments_; }
  /// The segment that a frame lies in if it is stored. There is at least one segment.
  const Segment& segment_of(std::uint32_t frame) const { return *segments_[place_of(frame)]; }

 private:
  void open_segment();
  /// What was asked for, or nothing if it is not ready.
  SegmentRoom take_room() noexcept;
  void ask_for_room(std::size_t words_of_a_frame) noexcept;
  std::size_t place_of(std::uint32_t frame) const;
  /// Gives frequent words rows, once enough frames are there to tell which those are.
  void choose_first_rows();
  /// Has a segment repacked of which half is erased, if there is one and no other is under way.
  void repack_if_due(const Segment& segment);
  void start_repacking(const Segment& segment, std::shared_ptr<const RowLayout> layout,
                       SegmentRoom room);
  /// Goes on with it; true if that has put a segment in the place of another.
  bool continue_repacking();

  const IdfTable& idf_;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::optional<Repacking> repacking_;  // of one of these
  Beside<SegmentRoom> room_;            // for the first rows, later for the next segment
  bool chosen_ = false;                 // whether choose_first_rows() has
};

}  // namespace looptree::detail
