// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>

#include "looptree/features/features.hpp"
#include "looptree/features/stored_features.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/pooled_index.hpp"
#include "looptree/store/map_types.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// What a LoopDetector knows of the frames it was shown: the index it searches, and the features it
/// verifies against. Keep them where you like: in memory (what a detector does by itself), in a map
/// on disk (detect/map_detector.hpp), or in a SLAM system that has them anyway.
class LOOPTREE_VISION_EXPORT DetectorMemory {
 public:
  virtual ~DetectorMemory() = default;

  /// Everything inserted so far, and what was there before. Never null.
  virtual std::shared_ptr<const PooledIndex> index() const = 0;
  /// Adds a frame, to the index too, and returns its id there.
  virtual FrameId insert(const Histogram& histogram, const Features& features,
                         const FrameInfo& info) = 0;
  /// The features of a frame, empty if they were not kept; valid until the next call of any method.
  /// Throws Error(not_found) for a frame that is not stored.
  virtual const Features& features(FrameId frame) const = 0;
  /// What is known of a frame; nothing if it is not stored (any more).
  virtual std::optional<FrameInfo> info(FrameId frame) const = 0;
  /// Hears of every closure.
  virtual void add_closure(const MapClosure& closure) = 0;
};

/// In memory, for as long as it lives: of each frame the features that `stored` names, of all
/// frames the last `max_frames`, at least 1. Thumbnails are not kept.
LOOPTREE_VISION_EXPORT std::unique_ptr<DetectorMemory> keep_in_memory(
    const IndexOptions& options, const StoredFeatures& stored = {},
    std::size_t max_frames = std::numeric_limits<std::size_t>::max());

}  // namespace looptree
