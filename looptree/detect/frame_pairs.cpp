// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/frame_pairs.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

/// Frames of the queries' map are told from those of the matches' by this.
constexpr std::uint32_t kOfQueries = std::uint32_t{1} << 31U;

Features features_of(const Map& map, FrameId frame) {
  std::optional<Features> features = map.features(frame);
  if (features) return *std::move(features);
  throw Error(ErrorKind::not_found, map.path().string() + ": expected frame " +
                                        std::to_string(frame.value) + ", found none of that id");
}

/// Both maps as one source of frames, in sessions of their own.
FrameSource source_of(const Map& queries, const Map& matches) {
  const auto map_of = [&queries, &matches](FrameId id) -> const Map& {
    return id.value >= kOfQueries ? queries : matches;
  };
  const auto own_id = [](FrameId id) { return FrameId(id.value & ~kOfQueries); };
  return {[=](FrameId id) { return map_of(id).features(own_id(id)); },
          [=](FrameId id) {
            std::optional<FrameInfo> info = map_of(id).info(own_id(id));
            if (info) info->session = SessionId{id.value >= kOfQueries ? 1U : 0U};
            return info;
          }};
}

/// How the camera moved between the two, with length where that is known.
std::optional<ClosurePose> measure(const Map& queries, const Map& matches, const FramePair& pair,
                                   const Features& query, const Features& match,
                                   const FramePairOptions& options, Verification& verification) {
  const FrameSource frames = source_of(queries, matches);
  const FrameId query_id(pair.query.value | kOfQueries);
  const auto pose_of = [&](FrameId id) { return frames.info(id).value_or(FrameInfo{}).pose; };
  verification.metric = closure_pose(frames, {query, pose_of(query_id), SessionId{1}, query_id},
                                     {match, pose_of(pair.match), SessionId{0}, pair.match},
                                     verification, *options.calibration, options.closure_pose);
  if (const auto& metric = verification.metric) {
    return ClosurePose{metric->match_from_query.pose, true, metric->match_from_query.information};
  }
  auto& pose = verification.match_from_query;
  if (!pose) return std::nullopt;
  pose->information = rotation_information(query, match, verification, *options.calibration,
                                           options.closure_pose.pose);
  return ClosurePose{{pose->rotation, pose->direction}, false, pose->information};
}

}  // namespace

std::vector<PairVerdict> verify_pairs(const Map& queries, const Map& matches,
                                      std::span<const FramePair> pairs, FramePairOptions options) {
  const bool calibrated = options.calibration.has_value();
  options.verification.min_correspondences = std::max(options.verification.min_correspondences,
                                                      fewest_inliers(options.evidence, calibrated));
  std::vector<PairVerdict> verdicts;
  std::optional<FrameId> current;
  Features query;
  std::optional<Verifier> verifier;
  for (const FramePair& pair : pairs) {
    if (current != pair.query) {
      verifier.reset();
      query = features_of(queries, pair.query);
      current = pair.query;
      if (!query.empty()) verifier.emplace(query, options.calibration, options.verification);
    }
    PairVerdict& verdict = verdicts.emplace_back();
    const Features match = features_of(matches, pair.match);
    if (verifier && !match.empty()) verdict.verification = verifier->verify(match);
    verdict.judgement = judge(verdict.verification, options.evidence, calibrated, pair.consistent);
    if (!calibrated || !verdict.judgement.believed) continue;
    verdict.pose = measure(queries, matches, pair, query, match, options, verdict.verification);
  }
  return verdicts;
}

}  // namespace looptree
