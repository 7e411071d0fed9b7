// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "looptree/export.hpp"
#include "looptree/features/features.hpp"
#include "looptree/features/level_position.hpp"

namespace looptree {

/// Which features of a frame are kept to verify later frames against, and how much of each.
struct StoredFeatures {
  /// At most so many of a frame; 0 keeps none, and then none can be verified. docs/store.md says
  /// what the default was chosen by.
  std::size_t max_per_frame = 450;
  /// Also size, angle, response and octave of each, which verification does not read: 16 bytes a
  /// feature.
  bool details = false;
  friend bool operator==(const StoredFeatures&, const StoredFeatures&) = default;
};

/// The features that are kept: well spread over the image, the strongest first
/// (features/balance.hpp), in the order they had. Throws Error(invalid_argument) for features that
/// check() refuses. Cost: a sort and a copy; a copy where all are kept.
LOOPTREE_EXPORT Features choose_features(const Features& features, const StoredFeatures& options);

/// The features of a frame in the memory of a detector: a descriptor each and 4 bytes of position
/// for ORB (features/level_position.hpp), 8 for others; more where details are kept.
class LOOPTREE_EXPORT CompactFeatures {
 public:
  /// Those that choose_features() chooses.
  CompactFeatures(const Features& features, const StoredFeatures& options);
  /// Positions, descriptors and inverse depths to the bit; the rest as options.details says.
  Features features() const;

 private:
  Features rest_;  // without keypoints unless details are kept
  std::vector<LevelPosition> level_positions_;
  std::vector<std::array<float, 2>> positions_;  // of features that are on no level
};

}  // namespace looptree
