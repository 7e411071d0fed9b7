// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/export.hpp"

namespace looptree::evaluate {

struct KeyframeOptions {
  /// Every so many frames; 0: by motion, which needs poses.
  std::size_t every = 0;
  /// A new keyframe where the camera has moved or turned so far since the last. The defaults give
  /// about as many on KITTI as ORB-SLAM makes.
  double distance_m = 2;
  double angle_deg = 10;
};

/// Which frames are keyframes; the first is. Throws Error(invalid_argument) unless there is a pose
/// for every frame where they are needed.
LOOPTREE_EXPORT std::vector<bool> choose_keyframes(std::size_t frames, std::span<const Pose> poses,
                                                   const KeyframeOptions& options = {});

}  // namespace looptree::evaluate
