// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "looptree/index/core/huge_pages.hpp"
#include "looptree/index/frames/posting_lists.hpp"
#include "looptree/index/frames/row_layout.hpp"

namespace looptree::detail {

/// Memory for a segment and its layout. The words of a frame lie all over it, so its first frame
/// would have the system find and zero nearly all of it at once: tens of milliseconds. What is
/// missing is made by whoever needs it.
struct SegmentRoom {
  std::unique_ptr<PostingLists> postings;
  std::optional<RowLayout::Table> layout;
  LinePool lines;

  /// Room for posting lists, a layout and a block of so many lines, all of it touched.
  static SegmentRoom make(std::uint32_t vocabulary_size, std::size_t lines) {
    SegmentRoom room;
    room.postings = std::make_unique<PostingLists>(vocabulary_size);
    room.layout.emplace(vocabulary_size);
    room.lines = LinePool(lines);
    room.postings->touch();
    touch_zeroed(room.layout->values().data(), room.layout->values().size_bytes());
    return room;
  }
  std::size_t bytes() const {
    return (postings ? postings->bytes() : 0) + (layout ? layout->bytes() : 0) +
           lines.unused_bytes();
  }
};

}  // namespace looptree::detail
