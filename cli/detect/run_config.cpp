// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/detect/run_config.hpp"

#include <filesystem>

#include <fmt/core.h>

#include "looptree/version.hpp"

namespace looptree::cli {
namespace {

std::string absolute(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).string();
}

const char* name_of(DepthFrom depth) {
  return depth == DepthFrom::images ? "images" : depth == DepthFrom::stereo ? "stereo" : "none";
}

const char* name_of(CameraSide camera) {
  return camera == CameraSide::right ? "right" : camera == CameraSide::both ? "both" : "left";
}

nlohmann::json describe(const SequenceOptions& sequence, const SequenceInfo& info) {
  return {{"path", info.format == "demo" ? sequence.path : absolute(sequence.path)},
          {"format", info.format},
          {"topic", sequence.open.topic},
          {"camera", name_of(sequence.open.camera)},
          {"frames", info.frames.size()}};
}

nlohmann::json describe(const ExtractorOptions& features) {
  return {{"kind", to_string(features.kind)},
          {"max_features", features.max_features},
          {"fast_threshold", features.fast_threshold},
          {"network", absolute(features.network)}};
}

nlohmann::json describe(const LoopDetectorOptions& d) {
  const char* threshold_kind =
      d.threshold_kind == ThresholdKind::relative ? "relative" : "absolute";
  nlohmann::json detector = {{"topology", d.topology.name()},
                             {"exclude_recent", d.exclude_recent},
                             {"threshold_kind", threshold_kind},
                             {"threshold", d.threshold},
                             {"top_k", d.top_k},
                             {"sequence_k", d.sequence_k},
                             {"consistent_queries", d.consistent_queries},
                             {"verify_geometry", d.verify_geometry},
                             {"max_verified", d.max_verified},
                             {"min_inliers", d.evidence.min_inliers},
                             {"sure_inliers", d.evidence.sure_inliers},
                             {"uncalibrated_factor", d.evidence.uncalibrated_factor},
                             {"min_inlier_ratio", d.evidence.min_inlier_ratio},
                             {"min_coverage", d.evidence.min_coverage},
                             {"thin_coverage", d.evidence.thin_coverage},
                             {"distinct_factor", d.evidence.distinct_factor},
                             {"max_ratio", d.verification.matching.max_ratio},
                             {"max_error_px", d.verification.max_error_px},
                             {"max_iterations", d.verification.max_iterations},
                             {"probe_features", d.verification.probe.features},
                             {"seed", d.verification.seed}};
  if (d.verification.direct_index_levels) {
    detector["direct_index_levels"] = *d.verification.direct_index_levels;
  }
  return detector;
}

}  // namespace

nlohmann::json run_config(const DetectJob& job, const SequenceInfo& info,
                          const Vocabulary& vocabulary, const std::string& vocabulary_file) {
  nlohmann::json config = {{"looptree", LOOPTREE_VERSION},
                           {"sequence", describe(job.sequence, info)},
                           {"features", describe(job.sequence.extractor)},
                           {"vocabulary",
                            {{"file", vocabulary_file},
                             {"words", vocabulary.size()},
                             {"hash", fmt::format("{:016x}", vocabulary.content_hash())}}},
                           {"detector", describe(job.detector)},
                           {"depth", name_of(*job.depth)},
                           {"complete", false}};
  config["detector"]["keyframes"] = job.keyframes;
  if (job.detector.calibration) write_camera(config, *job.detector.calibration);
  if (job.odometry.given()) config["odometry"] = describe(job.odometry);
  return config;
}

}  // namespace looptree::cli
