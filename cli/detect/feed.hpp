// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/live.hpp"

namespace looptree::cli {

/// The frames of a run with their features, of a sequence or of a live source.
class Feed {
 public:
  virtual ~Feed() = default;
  /// The next frame, `error` set for one that could not be read; nothing at the end.
  virtual std::optional<FrameFeatures> next() = 0;
  /// Of a live source, what came so far.
  virtual const SequenceInfo& info() const = 0;
  /// How many there will be; 0 if nobody knows.
  virtual std::size_t total() const = 0;
  /// Frames of a camera that came while nobody looked.
  virtual std::uint64_t dropped() const { return 0; }
};

/// Frames come with thumbnails of that width; 0: without.
std::unique_ptr<Feed> feed_of(Sequence& sequence, const FeatureExtractor& extractor,
                              DepthFrom depth, int thumbnail_width);
/// Ends when `keep_waiting` says no.
std::unique_ptr<Feed> feed_of(LiveSource& source, const FeatureExtractor& extractor,
                              std::function<bool()> keep_waiting, int thumbnail_width);

}  // namespace looptree::cli
