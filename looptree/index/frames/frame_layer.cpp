// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/frames/frame_layer.hpp"

#include <algorithm>
#include <new>

namespace looptree::detail {

SegmentRoom FrameLayer::take_room() noexcept {
  const std::unique_ptr<SegmentRoom> ready = room_.take();
  return ready ? std::move(*ready) : SegmentRoom{};
}

void FrameLayer::open_segment() {
  const bool first = segments_.empty();
  SegmentRoom room = take_room();
  auto layout = first
                    ? std::make_shared<const RowLayout>(std::vector<std::uint32_t>{}, idf_.words())
                    : segments_.back()->better_layout(std::move(room.layout));
  auto opened = std::make_unique<Segment>(std::move(layout), idf_, std::move(room));
  if (!first) opened->note_frequent_again(false);
  segments_.push_back(std::move(opened));
  if (first) chosen_ = false;
}

bool FrameLayer::append(std::uint32_t id, PreparedFrame& frame) {
  if (segments_.empty() || segments_.back()->full()) open_segment();
  segments_.back()->append(id, frame);
  choose_first_rows();
  ask_for_room(frame.words.size());
  return continue_repacking();
}

/// Made while the frames before come in: with a million words 30 MB.
void FrameLayer::ask_for_room(std::size_t words_of_a_frame) noexcept {
  constexpr std::uint32_t kForFirstRows = Segment::kSampleFrames / 4;
  constexpr std::uint32_t kForNextSegment = Segment::kFrames - 4096;
  const Segment& newest = *segments_.back();
  const bool sampling = !chosen_ && segments_.size() == 1 && newest.layout()->rows() == 0;
  const std::uint32_t due = sampling ? kForFirstRows : kForNextSegment;
  if (newest.slots() != due || room_.asked()) return;
  room_.ask([words = idf_.words(), lines = newest.lines_to_come(words_of_a_frame)] {
    return SegmentRoom::make(words, lines);
  });
}

void FrameLayer::choose_first_rows() {
  Segment& newest = *segments_.back();
  if (chosen_ || segments_.size() > 1 || newest.slots() < Segment::kSampleFrames) return;
  chosen_ = true;
  if (newest.layout()->rows() > 0) return;
  SegmentRoom room = take_room();
  try {
    auto layout = newest.better_layout(std::move(room.layout));
    if (layout != newest.layout()) {
      start_repacking(newest, std::move(layout), std::move(room));
    } else {
      newest.note_frequent_again(false);
    }
  } catch (const std::bad_alloc&) {
    newest.note_frequent_again(
        false);  // posting lists answer the same; the next segment chooses again
  }
}

void FrameLayer::repack_if_due(const Segment& segment) {
  const bool due = segment.live() * 2 < segment.slots() && segment.slots() > kBlockFrames;
  if (!due || repacking_) return;
  try {
    start_repacking(segment, segment.layout(), {});
  } catch (const std::bad_alloc&) {
    // The next erasure tries again.
  }
}

void FrameLayer::start_repacking(const Segment& segment, std::shared_ptr<const RowLayout> layout,
                                 SegmentRoom room) {
  repacking_.emplace(segment, std::move(layout), idf_, std::move(room));
}

bool FrameLayer::continue_repacking() {
  if (!repacking_) return false;
  try {
    if (!repacking_->advance()) return false;
    const auto place = std::find_if(segments_.begin(), segments_.end(), [&](const auto& segment) {
      return segment.get() == &repacking_->segment();
    });
    std::unique_ptr<Segment> packed = repacking_->finish();
    repacking_.reset();
    *place = std::move(packed);
    for (const auto& segment : segments_) repack_if_due(*segment);
    return true;
  } catch (const std::bad_alloc&) {
    repacking_.reset();  // what it was to replace answers the same
    return true;
  }
}

void FrameLayer::pop(const FixedHistogram& words) noexcept {
  const bool repacked = repacking_ && &repacking_->segment() == segments_.back().get();
  if (repacked) repacking_->popping(words);
  segments_.back()->pop(words);
  if (segments_.back()->slots() > 0) return;
  if (repacked) repacking_.reset();
  segments_.pop_back();
}

void FrameLayer::erase(std::uint32_t frame) {
  const std::size_t place = place_of(frame);
  Segment& segment = *segments_[place];
  const bool repacked = repacking_ && &repacking_->segment() == &segment;
  segment.erase(segment.slot_of(frame));
  if (segment.live() == 0) {
    if (repacked) repacking_.reset();
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(place));
    return;
  }
  if (repacked) repacking_->erased(frame);
  repack_if_due(segment);
  continue_repacking();
}

std::size_t FrameLayer::size() const {
  std::size_t size = 0;
  for (const auto& segment : segments_) size += segment->live();
  return size;
}

FixedHistogram FrameLayer::words(std::uint32_t frame) const {
  const Segment& segment = segment_of(frame);
  return segment.forward(segment.slot_of(frame)).decode(idf_);
}

std::size_t FrameLayer::place_of(std::uint32_t frame) const {
  const auto after =
      std::upper_bound(segments_.begin(), segments_.end(), frame,
                       [](std::uint32_t id, const auto& segment) { return id < segment->id(0); });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - segments_.begin() - 1, 0));
}

std::size_t FrameLayer::bytes() const {
  std::size_t bytes = idf_.bytes() + segments_.capacity() * sizeof(segments_[0]);
  const RowLayout* counted = nullptr;
  for (const auto& segment : segments_) {
    bytes += segment->bytes();
    if (segment->layout().get() != counted) bytes += segment->layout()->bytes();
    counted = segment->layout().get();
  }
  if (repacking_) bytes += repacking_->bytes();
  if (room_.look() != nullptr) bytes += room_.look()->bytes();
  return bytes;
}

}  // namespace looptree::detail
