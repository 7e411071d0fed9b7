// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/methods/keyframes.hpp"

#include <optional>
#include <string>

#include "looptree/common/error.hpp"

namespace looptree::evaluate {

std::vector<bool> choose_keyframes(std::span<const Histogram> frames, std::span<const Pose> poses,
                                   KeyframeSelector& selector) {
  if (!poses.empty() && poses.size() != frames.size()) {
    throw Error(ErrorKind::invalid_argument,
                "expected a pose for each of " + std::to_string(frames.size()) +
                    " frames or for none, found " + std::to_string(poses.size()));
  }
  std::vector<bool> chosen(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].empty()) continue;
    std::optional<Pose> pose;
    if (!poses.empty()) pose = poses[i];
    chosen[i] = selector.select({frames[i], pose});
  }
  return chosen;
}

}  // namespace looptree::evaluate
