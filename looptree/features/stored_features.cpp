// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/stored_features.hpp"

#include <algorithm>
#include <utility>

#include "looptree/features/balance.hpp"

namespace looptree {

Features choose_features(const Features& features, const StoredFeatures& options) {
  check(features);
  if (features.size() <= options.max_per_frame) return features;
  return take_rows(features, balanced_subset(features.keypoints, features.width, features.height,
                                             options.max_per_frame));
}

CompactFeatures::CompactFeatures(const Features& features, const StoredFeatures& options)
    : rest_(choose_features(features, options)) {
  if (!options.details) {
    if (auto on_levels = level_positions(rest_.keypoints)) {
      level_positions_ = std::move(*on_levels);
    } else {
      positions_.reserve(rest_.size());
      for (const Keypoint& point : rest_.keypoints) positions_.push_back({point.x, point.y});
    }
    rest_.keypoints = {};
  }
  rest_.keypoints.shrink_to_fit();
  rest_.descriptors.bytes.shrink_to_fit();
  rest_.descriptors.floats.shrink_to_fit();
  rest_.inverse_depths.shrink_to_fit();
}

Features CompactFeatures::features() const {
  Features features = rest_;
  features.keypoints.reserve(std::max(rest_.size(), level_positions_.size() + positions_.size()));
  for (const LevelPosition position : level_positions_) {
    const auto [x, y] = image_position(position);
    features.keypoints.push_back({x, y});
  }
  for (const auto& [x, y] : positions_) features.keypoints.push_back({x, y});
  return features;
}

}  // namespace looptree
