// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/frames/frame_layer.hpp"

#include <algorithm>
#include <new>

namespace looptree::detail {
namespace {

/// Frames before the first look at which words are frequent.
constexpr std::uint32_t kSampleFrames = kBlockFrames;

}  // namespace

void FrameLayer::open_segment() {
  auto layout = segments_.empty()
                    ? std::make_shared<const RowLayout>(std::vector<std::uint32_t>{}, idf_.words())
                    : segments_.back()->better_layout();
  segments_.push_back(std::make_unique<Segment>(std::move(layout), idf_));
}

bool FrameLayer::append(std::uint32_t id, PreparedFrame& frame) {
  if (segments_.empty() || segments_.back()->full()) open_segment();
  segments_.back()->append(id, frame);
  return choose_first_rows();
}

bool FrameLayer::choose_first_rows() {
  Segment& newest = *segments_.back();
  const bool due =
      segments_.size() == 1 && newest.slots() == kSampleFrames && newest.layout()->rows() == 0;
  if (!due) return false;
  try {
    auto layout = newest.better_layout();
    if (layout == newest.layout()) return false;
    segments_[0] = newest.repacked(std::move(layout));
    return true;
  } catch (const std::bad_alloc&) {
    return false;  // posting lists answer the same; the next segment chooses again
  }
}

void FrameLayer::pop(const FixedHistogram& words) noexcept {
  segments_.back()->pop(words);
  if (segments_.back()->slots() == 0) segments_.pop_back();
}

void FrameLayer::erase(std::uint32_t frame) {
  const std::size_t place = place_of(frame);
  Segment& segment = *segments_[place];
  segment.erase(segment.slot_of(frame));
  if (segment.live() == 0) {
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(place));
  } else if (segment.live() * 2 < segment.slots() && segment.slots() > kBlockFrames) {
    segments_[place] = segment.repacked(segment.layout());
  }
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
  return bytes;
}

}  // namespace looptree::detail
