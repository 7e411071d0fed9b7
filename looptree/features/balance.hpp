// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "looptree/export.hpp"
#include "looptree/features/features.hpp"

namespace looptree {

/// Which keypoints to keep, at most `count`, so that they spread over an image of that size: the
/// image is cut into square cells, and the cells are filled evenly, each with its strongest
/// keypoints first. Indices come in ascending order. Ties go to the lower index, so the choice is
/// deterministic. Cost: a sort.
LOOPTREE_EXPORT std::vector<std::size_t> balanced_subset(std::span<const Keypoint> keypoints,
                                                         int width, int height, std::size_t count);

}  // namespace looptree
