// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/relocalize.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree {
namespace {

bool is_the_place(const Verification& found, const RelocalizeOptions& options) {
  const double factor = options.calibration ? 1 : options.uncalibrated_factor;
  const auto inliers = static_cast<double>(found.inliers.size());
  return inliers >= std::ceil(static_cast<double>(options.min_inliers) * factor) &&
         inliers >= options.min_inlier_ratio * static_cast<double>(found.correspondences) &&
         found.coverage >= options.min_coverage;
}

Relocation look_at(const Map& map, const Match& match, const Features& features,
                   const RelocalizeOptions& options) {
  Relocation result{.frame = match.frame, .score = match.score};
  const std::optional<Features> stored = map.features(match.frame);
  if (!stored || stored->empty()) return result;
  result.has_features = true;
  result.verification = verify(features, *stored, options.calibration, options.verification);
  result.verified = is_the_place(result.verification, options);
  return result;
}

}  // namespace

std::vector<Relocation> relocalize(const Map& map, const Vocabulary& vocabulary,
                                   const Features& features, const RelocalizeOptions& options) {
  if (map.vocabulary().hash != vocabulary.content_hash()) {
    throw Error(ErrorKind::invalid_argument,
                map.path().string() +
                    ": expected the vocabulary that the map was made with, found "
                    "another; load_vocabulary() gives the map's own");
  }
  check(features);
  const Histogram histogram =
      make_histogram(vocabulary.quantize(features.descriptors.view(), 0).words,
                     vocabulary.word_weights(), {.weighting = vocabulary.weighting()});
  if (histogram.empty()) return {};
  std::vector<Relocation> found;
  const QueryResult result =
      map.query(histogram,
                {.top_k = options.top_k, .threshold = options.threshold, .filter = options.filter});
  for (const Match& match : result.matches) {
    found.push_back(look_at(map, match, features, options));
  }
  std::stable_sort(found.begin(), found.end(), [](const Relocation& a, const Relocation& b) {
    if (a.verified != b.verified) return a.verified;
    return a.verified && a.verification.inliers.size() > b.verification.inliers.size();
  });
  return found;
}

}  // namespace looptree
