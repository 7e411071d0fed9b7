// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "looptree/detect/verification.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// What geometry must show before two images count as one place.
struct Evidence {
  /// Inliers that make a closure of a candidate that several queries in a row pointed to...
  std::size_t min_inliers = 25;
  /// ...and of one seen for the first time. At least min_inliers.
  std::size_t sure_inliers = 40;
  /// Without calibration, this many times as many of both: a fundamental matrix also explains the
  /// repeated windows of a lookalike facade. At least 1.
  double uncalibrated_factor = 2.25;
  /// The share of the matched keypoints that must be inliers; in [0, 1].
  double min_inlier_ratio = 0.25;
  /// The part of the image the inliers must cover, see Verification::coverage; in [0, 1]. Images
  /// that share only what lies far ahead agree in a small part, around where the camera is heading.
  double min_coverage = 0.12;
  /// Inliers that cover less than this must be twice min_inliers, however many queries pointed to
  /// the place: it may lie 20 m ahead. In [0, 1].
  double thin_coverage = 0.16;
  /// Inliers below sure_inliers must be this many times those that any other place has that was
  /// looked at, unless closures of the last queries led there. At least 1; 1: nobody is asked.
  double distinct_factor = 3;
};

/// What is asked of features of a kind, and how they are matched, since kinds differ in how often
/// two of them look alike by chance. These are the defaults of the command line; where a number is
/// that of ORB, no measurement says otherwise. Threads: free.
struct EvidenceOfKind {
  Evidence evidence{};
  MatchingOptions matching{};
  ProbeOptions probe{};
};
LOOPTREE_VISION_EXPORT EvidenceOfKind default_evidence(FeatureKind kind);

/// Throws Error(invalid_argument) for a number out of range.
LOOPTREE_VISION_EXPORT void check(const Evidence& evidence);

/// What geometry says of a candidate.
struct Judgement {
  bool verified = false;           ///< enough for a place that is known to be likely
  bool believed = false;           ///< enough for this one, too
  bool beyond_doubt = false;       ///< sure_inliers: no other place need be asked
  std::size_t needed_inliers = 0;  ///< for it to be believed
};

/// Judges what verify() found. `consistent`: enough queries in a row pointed to the place.
LOOPTREE_VISION_EXPORT Judgement judge(const Verification& found, const Evidence& evidence,
                                       bool calibrated, bool consistent);

/// Inliers that leave no doubt, and with which no other candidate is looked at.
LOOPTREE_VISION_EXPORT std::size_t sure_inliers(const Evidence& evidence, bool calibrated);
/// Inliers below which nothing is a closure.
LOOPTREE_VISION_EXPORT std::size_t fewest_inliers(const Evidence& evidence, bool calibrated);

}  // namespace looptree
