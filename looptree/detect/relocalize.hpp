// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "looptree/detect/closure_pose.hpp"
#include "looptree/detect/verification.hpp"
#include "looptree/index/query.hpp"
#include "looptree/store/map.hpp"
#include "looptree/vision_export.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree {

struct RelocalizeOptions {
  /// The best-scoring frames that are looked at, and those among them that may be: some sessions
  /// only, say.
  std::size_t top_k = 10;
  double threshold = 0;
  Filter filter{};
  VerificationOptions verification{};
  std::optional<Calibration> calibration{};
  /// What makes a match certain; as LoopDetectorOptions of a candidate at first sight.
  std::size_t min_inliers = 40;
  double uncalibrated_factor = 2.25;
  double min_inlier_ratio = 0.25;
  double min_coverage = 0.12;
  /// Poses need the calibration, and depth: features of the image or of the map that come with it,
  /// or, with `from_odometry`, a map whose frames have poses that are right against each other.
  ClosurePoseOptions pose{};
};

/// A frame of the map that an image may have been taken at.
struct Relocation {
  FrameId frame;
  double score = 0;
  bool has_features = false;  ///< without them it can be neither verified nor refuted
  bool verified = false;      ///< geometry says it is the place
  /// Why it does not: the number, and the one that was asked for. "12 inliers, expected 90". Empty
  /// where it does, and without features.
  std::string refusal{};
  Verification verification{};  ///< of a verified frame with its metric pose, where that is known
  /// Where the camera is in the frame that the poses of the map are in, world_from_camera, and how
  /// sure that is against the map's frame: where both verification.metric and the pose of that
  /// frame are known.
  std::optional<MeasuredPose> pose{};
};

/// Where in the map was this image taken? Verified frames come first, by inliers; then the others
/// by score. Empty if the image has no features, or shares no word with any frame. Throws
/// Error(invalid_argument) for a vocabulary that is not the map's, and for features that do not fit
/// it. Cost: a query, and the verification of top_k frames.
LOOPTREE_VISION_EXPORT std::vector<Relocation> relocalize(const Map& map,
                                                          const Vocabulary& vocabulary,
                                                          const Features& features,
                                                          const RelocalizeOptions& options = {});

}  // namespace looptree
