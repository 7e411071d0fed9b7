// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "looptree/index/detail/layer.hpp"
#include "looptree/index/detail/segment.hpp"

namespace looptree::detail {

/// Frames in segments of blocks. Bounds from rows and lists say which frames may score enough;
/// those are then scored from their forward lists.
class FrameSegments final : public FrameLayer {
 public:
  /// `units` outlive it.
  explicit FrameSegments(const WordUnits& units) : units_(units) {}

  /// Adds the next frame. True if those before it were arranged anew.
  bool append(PreparedFrame frame);
  /// The next ids stay without a frame.
  void skip(std::uint32_t count) { next_id_ += count; }
  /// Segments made with these units, instead of those it has; the next frame gets `next_id`.
  void restore(std::vector<std::unique_ptr<Segment>> segments, std::uint32_t next_id) {
    segments_ = std::move(segments);
    next_id_ = next_id;
  }
  void erase(std::uint32_t frame) override;
  OwnedTerms terms(std::uint32_t frame) const override;
  void search(const Terms& query, const Candidates& candidates,
              Collector& collector) const override;
  CommonWords common_words(const Terms& query, const FrameFilter& filter,
                           const CommonWordsOptions& options) const override;
  std::size_t bytes() const override;

  const WordUnits& units() const { return units_; }
  /// By ascending ids; empty ones do not occur, save perhaps the last.
  const std::vector<std::unique_ptr<Segment>>& segments() const { return segments_; }
  /// The segment that a stored frame lies in.
  const Segment& segment_of(std::uint32_t frame) const { return *segments_[place_of(frame)]; }

 private:
  void open_segment();
  std::size_t place_of(std::uint32_t frame) const;

  const WordUnits& units_;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::uint32_t next_id_ = 0;
};

}  // namespace looptree::detail
