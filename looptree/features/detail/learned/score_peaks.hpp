// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/features/detail/learned/learned_geometry.hpp"

namespace looptree::detail {

/// Scores of pixels, row by row.
struct ScoreMap {
  int width = 0;
  int height = 0;
  std::vector<std::int16_t> scores;

  const std::int16_t* row(int y) const {
    return scores.data() + static_cast<std::size_t>(y) * width;
  }
};

/// Keypoints where a score is above the threshold and the largest within two pixels, of equal ones
/// the first, row by row, in what of the map the image covers. `scratch` keeps its memory.
void find_score_peaks(const ScoreMap& map, const LearnedGeometry& geometry, int threshold,
                      std::vector<std::int16_t>& scratch, std::vector<Keypoint>& peaks);

}  // namespace looptree::detail
