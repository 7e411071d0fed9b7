// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "looptree/features/feature_extractor.hpp"
#include "looptree/features/orb.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// ORB by OpenCV: three times as many keypoints as are kept, by Harris score, of which a balanced
/// part is described. What looptree used before OrbExtractor, and what that is measured against.
/// Throws Error(invalid_argument) for options out of range.
LOOPTREE_VISION_EXPORT std::unique_ptr<FeatureExtractor> make_cv_orb(
    const OrbOptions& options = {});

}  // namespace looptree
