// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "looptree/common/pose.hpp"
#include "looptree/export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree {

/// What is known of a frame when it is decided whether it becomes a keyframe.
struct KeyframeCandidate {
  const Histogram& histogram;  ///< L1-normalised
  const std::optional<Pose>& pose;
};

/// Chooses the frames that are worth keeping. Not for several threads at once.
class LOOPTREE_EXPORT KeyframeSelector {
 public:
  virtual ~KeyframeSelector() = default;
  /// Whether to keep the next frame of the route; the answer may depend on the frames before. The
  /// first is always kept. Throws Error(invalid_argument) if what it goes by is missing.
  virtual bool select(const KeyframeCandidate& frame) = 0;
};

/// Every frame.
LOOPTREE_EXPORT std::unique_ptr<KeyframeSelector> select_all();

/// The first, and then every n-th frame; n at least 1, or Error(invalid_argument) is thrown.
LOOPTREE_EXPORT std::unique_ptr<KeyframeSelector> select_every(std::size_t n);

/// Where the camera has moved `metres` or turned `degrees` since the last keyframe. Frames must
/// have poses. Throws Error(invalid_argument) unless both are above 0.
LOOPTREE_EXPORT std::unique_ptr<KeyframeSelector> select_by_motion(double metres, double degrees);

/// Where the score against the last keyframe has fallen below `threshold`, in (0, 1]; otherwise
/// Error(invalid_argument) is thrown.
LOOPTREE_EXPORT std::unique_ptr<KeyframeSelector> select_by_appearance(double threshold);

/// By name: "all", "every:5", "motion:2,15" (metres, degrees), "appearance:0.2". Throws
/// Error(invalid_argument) and shows these.
LOOPTREE_EXPORT std::unique_ptr<KeyframeSelector> parse_keyframe_selector(std::string_view text);

}  // namespace looptree
