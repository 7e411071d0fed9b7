// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/frame_segments.hpp"

#include <algorithm>
#include <utility>

#include "looptree/index/detail/common_words.hpp"

namespace looptree::detail {
namespace {

/// Frames before the first look at which words are frequent.
constexpr std::uint32_t kSampleFrames = kRowBits;

}  // namespace

void FrameSegments::open_segment() {
  auto layout = segments_.empty()
                    ? std::make_shared<const RowLayout>(std::vector<std::uint32_t>{}, units_)
                    : segments_.back()->better_layout();
  segments_.push_back(std::make_unique<Segment>(std::move(layout), units_));
}

bool FrameSegments::append(PreparedFrame frame) {
  if (segments_.empty() || segments_.back()->full()) open_segment();
  Segment& newest = *segments_.back();
  newest.append(next_id_++, frame.terms.view(), frame.factors, std::move(frame.forward));
  if (segments_.size() == 1 && newest.slots() == kSampleFrames && newest.layout()->rows() == 0) {
    // Until now every word had a list. Now enough frames are there to tell which deserve a row.
    if (auto layout = newest.better_layout(); layout != newest.layout()) {
      segments_[0] = newest.repacked(std::move(layout));
      return true;
    }
  }
  return false;
}

void FrameSegments::erase(std::uint32_t frame) {
  const std::size_t place = place_of(frame);
  Segment& segment = *segments_[place];
  segment.erase(segment.slot_of(frame));
  if (segment.live() == 0) {
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(place));
  } else if (segment.live() * 2 < segment.slots() && segment.slots() > kRowBits) {
    segments_[place] = segment.repacked(segment.layout());
  }
}

OwnedTerms FrameSegments::terms(std::uint32_t frame) const {
  const Segment& segment = segment_of(frame);
  return segment.forward(segment.slot_of(frame)).decode(units_);
}

CommonWords FrameSegments::common_words(const Terms& query, const FrameFilter& filter,
                                        const CommonWordsOptions& options) const {
  return detail::common_words(*this, query, filter, options);
}

std::size_t FrameSegments::place_of(std::uint32_t frame) const {
  const auto after =
      std::upper_bound(segments_.begin(), segments_.end(), frame,
                       [](std::uint32_t id, const auto& segment) { return id < segment->id(0); });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - segments_.begin() - 1, 0));
}

std::size_t FrameSegments::bytes() const {
  std::size_t bytes = units_.bytes() + segments_.capacity() * sizeof(segments_[0]);
  const RowLayout* counted = nullptr;
  for (const auto& segment : segments_) {
    bytes += segment->bytes();
    if (segment->layout().get() != counted) bytes += segment->layout()->bytes();
    counted = segment->layout().get();
  }
  return bytes;
}

}  // namespace looptree::detail
