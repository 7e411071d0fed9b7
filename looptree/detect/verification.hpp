// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/detect/matching.hpp"
#include "looptree/features/features.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

struct VerificationOptions {
  MatchingOptions matching;
  /// Compare only descriptors under the same node of the vocabulary, this many levels above its
  /// words. Without a value all are compared with all, which finds more correspondences.
  std::optional<std::size_t> direct_index_levels{};
  /// With fewer correspondences than this no geometry is looked for: there could not be enough
  /// inliers.
  std::size_t min_correspondences = 8;
  /// How far a keypoint may lie from its epipolar line, in pixels; above 0.
  double max_error_px = 2;
  /// Chance that the fit has seen a sample without outliers; in (0, 1).
  double confidence = 0.999;
  /// Samples tried at most. With the number of candidates this bounds the time a frame can take.
  std::size_t max_iterations = 500;
  std::uint32_t seed = 1;
};

/// How the camera of the match sees the camera of the query. Monocular, so the distance is unknown.
struct RelativePose {
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< match_from_query, row by row
  std::array<double, 3> direction{0, 0, 0};  ///< of the query's camera in the match's frame; unit
};

/// What two images have in common.
struct Verification {
  std::size_t correspondences = 0;  ///< that passed the ratio and mutual tests
  /// Of these, what one epipolar geometry explains; or, if that is more, those that lie where they
  /// lay: a camera that did not move.
  std::vector<Correspondence> inliers{};
  /// How much of the smaller image the inliers cover: the share of an 8 x 8 grid's cells that holds
  /// one. In [0, 1].
  double coverage = 0;
  /// Where the camera is calibrated and the geometry is not degenerate.
  std::optional<RelativePose> match_from_query{};
};

/// Are these two images of one place? Matches descriptors, then fits a fundamental matrix to the
/// correspondences and, where the camera is calibrated, an essential matrix to what is left of
/// them, both with OpenCV's USAC: PROSAC sampling, MAGSAC scores, local optimisation. The same
/// input gives the same answer. Throws Error(invalid_argument) for features or options out of
/// contract. Threads: free. Cost: see match_descriptors(), and up to max_iterations samples.
LOOPTREE_VISION_EXPORT Verification verify(const Features& query, const Features& match,
                                           const std::optional<Calibration>& calibration,
                                           const VerificationOptions& options = {});

/// The second half of it, for correspondences that were matched otherwise.
LOOPTREE_VISION_EXPORT Verification verify(std::vector<Correspondence> correspondences,
                                           const Features& query, const Features& match,
                                           const std::optional<Calibration>& calibration,
                                           const VerificationOptions& options = {});

}  // namespace looptree
