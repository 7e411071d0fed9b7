// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "looptree/index/frames/segment.hpp"

namespace looptree::detail {

/// A segment on its way into another layout, or rid of its erased frames: a few frames with every
/// insertion or erasure, because all at once would hold one of them up for the time of hundreds.
/// Until it is done the segment itself is searched. Whatever happens to the segment meanwhile is
/// told.
class Repacking {
 public:
  /// Both the segment and `idf` outlive it.
  Repacking(const Segment& segment, std::shared_ptr<const RowLayout> layout, const IdfTable& idf,
            SegmentRoom room)
      : segment_(segment),
        idf_(idf),
        copy_(std::make_unique<Segment>(std::move(layout), idf, std::move(room))) {}

  const Segment& segment() const { return segment_; }
  /// Copies some frames; true once none is left. Throws std::bad_alloc, and may then be dropped.
  bool advance();
  /// A frame of the segment was erased.
  void erased(std::uint32_t id) {
    if (copy_->slots() > 0 && copy_->contains(id)) copy_->erase(copy_->slot_of(id));
  }
  /// The newest frame of the segment, with these words, is about to be taken out.
  void popping(const FixedHistogram& words) noexcept;
  /// The copy, once it is complete.
  std::unique_ptr<Segment> finish() { return std::move(copy_); }
  std::size_t bytes() const { return copy_->bytes(); }

 private:
  const Segment& segment_;
  const IdfTable& idf_;
  std::unique_ptr<Segment> copy_;
  std::uint32_t next_ = 0;  // slot of the segment
};

}  // namespace looptree::detail
