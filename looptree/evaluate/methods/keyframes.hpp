// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/detect/keyframes.hpp"
#include "looptree/evaluate_export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::evaluate {

/// Which frames of a sequence a selector keeps; a frame without words is never one. `poses`: one
/// per frame, or none. Throws as the selector does, and Error(invalid_argument) for another number
/// of poses.
LOOPTREE_EVALUATE_EXPORT std::vector<bool> choose_keyframes(std::span<const Histogram> frames,
                                                            std::span<const Pose> poses,
                                                            KeyframeSelector& selector);

}  // namespace looptree::evaluate
