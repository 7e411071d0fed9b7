// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/relocalize.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "looptree/common/camera.hpp"
#include "looptree/common/error.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree {
namespace {

std::string whole(double number) {
  return std::to_string(static_cast<long long>(number));
}

/// By which number it is not the place; empty if it is.
std::string refusal_of(const Verification& found, const RelocalizeOptions& options) {
  const double factor = options.calibration ? 1 : options.uncalibrated_factor;
  const double needed = std::ceil(static_cast<double>(options.min_inliers) * factor);
  const auto inliers = static_cast<double>(found.inliers.size());
  if (inliers < needed) return whole(inliers) + " inliers, expected " + whole(needed);
  const auto pairs = static_cast<double>(found.correspondences);
  if (inliers < options.min_inlier_ratio * pairs) {
    return whole(inliers) + " inliers of " + whole(pairs) + " correspondences, expected " +
           whole(std::ceil(options.min_inlier_ratio * pairs));
  }
  if (found.coverage < options.min_coverage) {
    return "inliers over " + whole(100 * found.coverage) + "% of the image, expected " +
           whole(std::ceil(100 * options.min_coverage)) + "%";
  }
  return "";
}

/// The metric pose against a frame, and, if the map knows where that was, against the map.
void measure(const Map& map, const Features& features, const Features& stored,
             const RelocalizeOptions& options, Relocation& found) {
  const FrameInfo info = map.info(found.frame).value_or(FrameInfo{});
  const FrameSource frames{[&](FrameId id) { return map.features(id); },
                           [&](FrameId id) { return map.info(id); }};
  found.verification.metric =
      closure_pose(frames, {features}, {stored, info.pose, info.session, found.frame},
                   found.verification, *options.calibration, options.pose);
  if (!found.verification.metric || !info.pose) return;
  const MeasuredPose& measured = found.verification.metric->match_from_query;
  found.pose = MeasuredPose{compose(*info.pose, measured.pose), measured.information};
}

Relocation look_at(const Map& map, const Match& match, const Features& features,
                   const RelocalizeOptions& options) {
  Relocation result{.frame = match.frame, .score = match.score};
  const std::optional<Features> stored = map.features(match.frame);
  if (!stored || stored->empty()) return result;
  result.has_features = true;
  result.verification = verify(features, *stored, options.calibration, options.verification);
  result.refusal = refusal_of(result.verification, options);
  result.verified = result.refusal.empty();
  if (result.verified && options.calibration) measure(map, features, *stored, options, result);
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
  if (options.calibration) check(*options.calibration);
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
