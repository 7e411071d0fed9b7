// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "looptree/features/features.hpp"
#include "looptree/features/image.hpp"

namespace looptree::detail {

/// Half the side of the patch that a BRIEF descriptor samples; keypoints must lie this far from the
/// border.
inline constexpr int kBriefRadius = 24;
inline constexpr std::size_t kBriefBytes = 32;

/// Upright BRIEF of 256 comparisons around each keypoint of an already smoothed image.
Descriptors brief_descriptors(const Image& smoothed, std::span<const Keypoint> keypoints);

}  // namespace looptree::detail
