// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "looptree/common/error.hpp"
#include "looptree/common/require_number.hpp"

namespace looptree {
namespace {

/// A number of inliers, by what they are inliers of.
std::size_t adjusted(std::size_t inliers, const Evidence& evidence, bool calibrated) {
  const double factor = calibrated ? 1 : evidence.uncalibrated_factor;
  return static_cast<std::size_t>(std::ceil(static_cast<double>(inliers) * factor));
}

}  // namespace

EvidenceOfKind default_evidence(FeatureKind kind) {
  EvidenceOfKind usual;
  if (kind == FeatureKind::orb) {
    // Against the 450 features that are kept of a frame, wrong pairs had at most 23 inliers of an
    // essential matrix, 20 at first sight, and without calibration at most 32 correspondences.
    usual.evidence.sure_inliers = 35;
    usual.evidence.distinct_factor = 1;  // so no place had enough that was not the place
    usual.evidence.uncalibrated_factor = 1.75;
  }
  if (kind == FeatureKind::learned) {
    // Light changes a learned descriptor more than another place does, so a match in another light
    // is hardly nearer than the second best; of wrong ones few agree on a geometry. On St Lucia 0.8
    // leaves 52 inliers of a true pair, 0.9 leaves 97.
    usual.matching.max_ratio = 0.9F;
    // So more of wrong pairs match, too: up to 26 of them agreed on KITTI 00, 30 in a corridor,
    // calibrated or not. In a town of rendered windows 50 do, with every street about as many: what
    // is there must be distinct, besides.
    usual.evidence.min_inlier_ratio = 0.3;
    // Of the strongest features 9 always agree. Of right pairs 15 did, of which the fewest in
    // another light; of wrong ones that is one in four, one in ten among desks.
    usual.probe.min_inliers = 14;
    usual.evidence.min_inliers = 38;
    usual.evidence.sure_inliers = 60;
    usual.evidence.uncalibrated_factor = 1;
  }
  return usual;
}

void check(const Evidence& evidence) {
  const auto is_part = [](double value) { return value >= 0 && value <= 1; };
  require_number(evidence.min_inliers <= evidence.sure_inliers,
                 "sure_inliers of at least min_inliers, " + std::to_string(evidence.min_inliers),
                 static_cast<double>(evidence.sure_inliers));
  require_number(evidence.uncalibrated_factor >= 1, "an uncalibrated_factor of at least 1",
                 evidence.uncalibrated_factor);
  require_number(evidence.distinct_factor >= 1, "a distinct_factor of at least 1",
                 evidence.distinct_factor);
  require_number(is_part(evidence.min_inlier_ratio), "a min_inlier_ratio from 0 to 1",
                 evidence.min_inlier_ratio);
  require_number(is_part(evidence.min_coverage), "a min_coverage from 0 to 1",
                 evidence.min_coverage);
  require_number(is_part(evidence.thin_coverage), "a thin_coverage from 0 to 1",
                 evidence.thin_coverage);
}

std::size_t sure_inliers(const Evidence& evidence, bool calibrated) {
  return adjusted(evidence.sure_inliers, evidence, calibrated);
}

std::size_t fewest_inliers(const Evidence& evidence, bool calibrated) {
  return adjusted(evidence.min_inliers, evidence, calibrated);
}

Judgement judge(const Verification& found, const Evidence& evidence, bool calibrated,
                bool consistent) {
  const std::size_t inliers = found.inliers.size();
  const double share = evidence.min_inlier_ratio * static_cast<double>(found.correspondences);
  std::size_t fewest = fewest_inliers(evidence, calibrated);
  // Without inliers nothing is known of what they would cover.
  if (inliers > 0 && found.coverage < evidence.thin_coverage) fewest *= 2;
  Judgement judgement;
  judgement.needed_inliers =
      consistent ? fewest : std::max(fewest, sure_inliers(evidence, calibrated));
  judgement.verified = inliers >= fewest && static_cast<double>(inliers) >= share &&
                       found.coverage >= evidence.min_coverage;
  judgement.believed = judgement.verified && inliers >= judgement.needed_inliers;
  judgement.beyond_doubt = judgement.believed && inliers >= sure_inliers(evidence, calibrated);
  return judgement;
}

}  // namespace looptree
