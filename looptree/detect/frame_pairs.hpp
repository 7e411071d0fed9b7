// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/detect/closure_pose.hpp"
#include "looptree/detect/evidence.hpp"
#include "looptree/detect/verification.hpp"
#include "looptree/store/map.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// Frames of two maps that may show one place.
struct FramePair {
  FrameId query;            ///< of the one map
  FrameId match;            ///< of the other, which may be the same
  bool consistent = false;  ///< enough queries in a row pointed to the place of `match`
};

struct FramePairOptions {
  VerificationOptions verification{};
  Evidence evidence{};
  /// Of the camera that took both.
  std::optional<Calibration> calibration{};
  ClosurePoseOptions closure_pose{};
};

/// What geometry says of a pair.
struct PairVerdict {
  Judgement judgement{};
  Verification verification{};
  /// Of a pair that is believed, where the camera is calibrated.
  std::optional<ClosurePose> pose{};
};

/// What a LoopDetector does with its candidates, for pairs of frames that were found otherwise: one
/// verdict per pair, by the features that the maps keep. A frame without features is verified by
/// nothing. Throws Error(not_found) for a frame that is not stored, and as verify() does. Threads:
/// free. Cost: that of Verifier; pairs of one query that follow each other share its part.
LOOPTREE_VISION_EXPORT std::vector<PairVerdict> verify_pairs(const Map& queries, const Map& matches,
                                                             std::span<const FramePair> pairs,
                                                             FramePairOptions options = {});

}  // namespace looptree
