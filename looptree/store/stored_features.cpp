// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/stored_features.hpp"

#include "looptree/features/balance.hpp"

namespace looptree {

Features choose_features(const Features& features, const StoredFeatures& options) {
  check(features);
  if (features.size() <= options.max_per_frame) return features;
  return take_rows(features, balanced_subset(features.keypoints, features.width, features.height,
                                             options.max_per_frame));
}

}  // namespace looptree
