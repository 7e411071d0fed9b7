// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>

#include "looptree/features/features.hpp"
#include "looptree/store_export.hpp"

namespace looptree {

/// Which features of a frame are kept to verify later frames against, and how much of each.
struct StoredFeatures {
  /// At most so many of a frame; 0 keeps none, and then none can be verified.
  std::size_t max_per_frame = std::numeric_limits<std::size_t>::max();
  /// Also size, angle, response and octave of each, which verification does not read: 16 bytes a
  /// feature.
  bool details = false;
  friend bool operator==(const StoredFeatures&, const StoredFeatures&) = default;
};

/// The features that are kept: well spread over the image, the strongest first
/// (features/balance.hpp), in the order they had. Throws Error(invalid_argument) for features that
/// check() refuses. Cost: a sort and a copy; a copy where all are kept.
LOOPTREE_STORE_EXPORT Features choose_features(const Features& features,
                                               const StoredFeatures& options);

}  // namespace looptree
