// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/keyframes.hpp"

#include <string>

#include "looptree/common/error.hpp"

namespace looptree::evaluate {

std::vector<bool> choose_keyframes(std::size_t frames, std::span<const Pose> poses,
                                   const KeyframeOptions& options) {
  if (options.every == 0 && poses.size() != frames) {
    throw Error(ErrorKind::invalid_argument,
                "expected a pose for each of " + std::to_string(frames) +
                    " frames to choose keyframes by motion, found " + std::to_string(poses.size()));
  }
  std::vector<bool> chosen(frames);
  std::size_t last = 0;
  for (std::size_t i = 0; i < frames; ++i) {
    const bool due = options.every > 0
                         ? i % options.every == 0
                         : i == 0 || distance(poses[last], poses[i]) >= options.distance_m ||
                               angle_deg(poses[last], poses[i]) >= options.angle_deg;
    if (!due) continue;
    chosen[i] = true;
    last = i;
  }
  return chosen;
}

}  // namespace looptree::evaluate
