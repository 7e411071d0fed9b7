// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/fit_features.hpp"

#include <string>
#include <string_view>

#include "looptree/common/error.hpp"
#include "looptree/detect/evidence.hpp"
#include "looptree/vocabulary/box.hpp"

namespace looptree::cli {

FeatureKind described_as(FeatureKind kind) {
  return kind == FeatureKind::cv_orb ? FeatureKind::orb : kind;
}

void fit_features(ExtractorChoice& features, std::optional<std::uint64_t> vocabulary_hash) {
  const auto its = vocabulary_hash ? box_features(*vocabulary_hash) : std::nullopt;
  if (!features.is_given) {
    features.kind = !vocabulary_hash || !features.network.empty() ? FeatureKind::learned
                    : its                                         ? parse_feature_kind(*its)
                                                                  : FeatureKind::orb;
    return;
  }
  if (!its || parse_feature_kind(*its) == described_as(features.kind)) return;
  throw Error(ErrorKind::invalid_argument, "expected --features " + std::string(*its) +
                                               ", which the vocabulary is for, found --features " +
                                               std::string(to_string(features.kind)) +
                                               "; leave --features out to take those that fit");
}

#ifdef LOOPTREE_WITH_STORE
void ask_for_evidence(RelocalizeOptions& options, FeatureKind kind,
                      std::optional<std::size_t> min_inliers) {
  const EvidenceOfKind usual = default_evidence(kind);
  options.min_inliers = min_inliers.value_or(usual.evidence.sure_inliers);
  options.uncalibrated_factor = usual.evidence.uncalibrated_factor;
  options.min_inlier_ratio = usual.evidence.min_inlier_ratio;
  options.min_coverage = usual.evidence.min_coverage;
  options.verification.matching = usual.matching;
  options.verification.probe = usual.probe;
}
#endif

}  // namespace looptree::cli
