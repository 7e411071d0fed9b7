// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "looptree/common/information.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/detect/matching.hpp"
#include "looptree/detect/metric_pose.hpp"
#include "looptree/features/features.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// A first look at two images, which costs a tenth of a thorough one and refuses nearly all that
/// do not show the same place.
struct ProbeOptions {
  /// The strongest features of each image, well spread, that are looked at; 0: no first look.
  std::size_t features = 500;
  /// Pairs of these that must match, and inliers of a fundamental matrix after `iterations`
  /// samples. By chance about 11 match and 9 agree.
  std::size_t min_correspondences = 12;
  std::size_t min_inliers = 9;
  std::size_t iterations = 50;
};

struct VerificationOptions {
  MatchingOptions matching;
  ProbeOptions probe;
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
  /// How sure the rotation is; what stands for the translation is 0. Zeros where nobody worked it
  /// out: verify() does not, LoopDetector does for closures.
  Information information{};
};

/// What two images have in common.
struct Verification {
  std::size_t correspondences = 0;  ///< that passed the ratio and mutual tests
  /// Refused by the first look: correspondences and inliers are among the strongest features only.
  bool at_first_sight = false;
  /// Of these, what one epipolar geometry explains; or, if that is more, those that lie where they
  /// lay: a camera that did not move.
  std::vector<Correspondence> inliers{};
  /// How much of the smaller image the inliers cover: the share of an 8 x 8 grid's cells that holds
  /// one. In [0, 1].
  double coverage = 0;
  /// Where the camera is calibrated and the geometry is not degenerate.
  std::optional<RelativePose> match_from_query{};
  /// With length, where depth or odometry is known: see ClosurePoseOptions. verify() leaves it out.
  std::optional<MetricPose> metric{};
};

/// Answers for one image whether others show the same place. A first look at the strongest features
/// (ProbeOptions) sorts out nearly all that do not. Then all descriptors are matched and a
/// fundamental matrix is fitted to the correspondences and, where the camera is calibrated, an
/// essential matrix to what is left of them, both with OpenCV's USAC: PROSAC sampling, MAGSAC
/// scores, local optimisation. The same input gives the same answer. Features are looked at, not
/// copied. Threads: free. Cost per image: docs/detect.md.
class LOOPTREE_VISION_EXPORT Verifier {
 public:
  /// Throws Error(invalid_argument) for features or options out of contract.
  Verifier(const Features& query, const std::optional<Calibration>& calibration,
           const VerificationOptions& options = {});

  /// Throws Error(invalid_argument) for features out of contract or of another kind.
  Verification verify(const Features& match) const;

 private:
  const Features* query_;
  std::vector<std::size_t> rows_;  ///< of the query's strongest features
  Descriptors strongest_;
  std::optional<Calibration> calibration_;
  VerificationOptions options_;
};

/// Are these two images of one place? Verifier for a single pair.
LOOPTREE_VISION_EXPORT Verification verify(const Features& query, const Features& match,
                                           const std::optional<Calibration>& calibration,
                                           const VerificationOptions& options = {});

/// The second half of it, for correspondences that were matched otherwise.
LOOPTREE_VISION_EXPORT Verification verify(std::vector<Correspondence> correspondences,
                                           const Features& query, const Features& match,
                                           const std::optional<Calibration>& calibration,
                                           const VerificationOptions& options = {});

}  // namespace looptree
