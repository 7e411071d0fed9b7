// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/detect/detect_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/version.hpp"

#include "cli/detect/choose_vocabulary.hpp"
#include "cli/detect/evidence.hpp"
#include "cli/detect/metric_truth.hpp"
#include "cli/detect/truth.hpp"
#include "cli/progress_bar.hpp"
#ifdef LOOPTREE_WITH_STORE
#include "cli/detect/detect_map.hpp"
#endif

namespace looptree::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kRecent_s = 30;
constexpr std::uint32_t kRecentFrames = 300;

/// Half a minute of the camera, so that what it still sees is no loop; less for a short sequence.
std::uint32_t recent_frames(const SequenceInfo& info) {
  const auto quarter = static_cast<std::uint32_t>(std::max<std::size_t>(1, info.frames.size() / 4));
  const auto& first = info.frames.front().time_s;
  const auto& last = info.frames.back().time_s;
  if (!first || !last || *last <= *first) return std::min(kRecentFrames, quarter);
  const double rate = static_cast<double>(info.frames.size() - 1) / (*last - *first);
  const double frames = std::clamp(std::round(kRecent_s * rate), 1.0, 1e6);
  return std::min(static_cast<std::uint32_t>(frames), quarter);
}

nlohmann::json describe(const DetectJob& job, const SequenceInfo& info,
                        const Vocabulary& vocabulary, const std::string& vocabulary_file) {
  const LoopDetectorOptions& d = job.detector;
  const std::string& network = job.sequence.extractor.network;
  nlohmann::json config = {
      {"looptree", LOOPTREE_VERSION},
      {"sequence",
       {{"path", info.format == "demo" ? job.sequence.path
                                       : std::filesystem::absolute(job.sequence.path).string()},
        {"format", info.format},
        {"camera", job.sequence.open.camera == CameraSide::right  ? "right"
                   : job.sequence.open.camera == CameraSide::both ? "both"
                                                                  : "left"},
        {"frames", info.frames.size()}}},
      {"features",
       {{"kind", to_string(job.sequence.extractor.kind)},
        {"max_features", job.sequence.extractor.max_features},
        {"fast_threshold", job.sequence.extractor.fast_threshold},
        {"network", network.empty() ? network : std::filesystem::absolute(network).string()}}},
      {"vocabulary",
       {{"file", vocabulary_file},
        {"words", vocabulary.size()},
        {"hash", fmt::format("{:016x}", vocabulary.content_hash())}}},
      {"detector",
       {{"topology", d.topology.name()},
        {"exclude_recent", d.exclude_recent},
        {"threshold_kind", d.threshold_kind == ThresholdKind::relative ? "relative" : "absolute"},
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
        {"max_ratio", d.verification.matching.max_ratio},
        {"max_error_px", d.verification.max_error_px},
        {"max_iterations", d.verification.max_iterations},
        {"probe_features", d.verification.probe.features},
        {"seed", d.verification.seed},
        {"keyframes", job.keyframes}}}};
  if (d.verification.direct_index_levels) {
    config["detector"]["direct_index_levels"] = *d.verification.direct_index_levels;
  }
  if (d.calibration) {
    config["calibration"] = {d.calibration->fx, d.calibration->fy, d.calibration->cx,
                             d.calibration->cy};
  }
  return config;
}

/// What geometry must show: as usual for the features, unless the user says otherwise.
void ask_for_evidence(DetectJob& job) {
  const EvidenceOfKind usual = default_evidence(job.sequence.extractor.kind);
  Evidence& evidence = job.detector.evidence;
  evidence = usual.evidence;
  job.detector.verification.matching = usual.matching;
  evidence.min_inliers = job.min_inliers.value_or(evidence.min_inliers);
  evidence.sure_inliers = job.sure_inliers.value_or(evidence.sure_inliers);
  evidence.min_coverage = job.min_coverage.value_or(evidence.min_coverage);
}

/// The loop over the frames.
class Run {
 public:
  Run(Sequence& sequence, const DetectJob& job, LoopDetector& detector, DetectFolder& folder)
      : sequence_(sequence),
        job_(job),
        detector_(detector),
        folder_(folder),
        evidence_(folder.path(), detector.index().next_id()) {
    if (!job.odometry.given()) return;
    odometry_.resize(sequence.size());
    const Odometry known = odometry_of(sequence.info(), job.odometry);
    for (std::size_t i = 0; i < known.frames.size(); ++i) {
      odometry_[known.frames[i]] = known.poses[i];
    }
  }

  DetectSummary process(const FeatureExtractor& extractor) {
    const auto start = Clock::now();
    FeatureStream stream(sequence_, extractor, 0, 1, *job_.depth);
    ProgressBar bar("detecting");
    while (const auto frame = stream.next()) {
      if (frame->error) {
        skip(*frame);
      } else {
        take(*frame);
      }
      summary_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      const std::string note = fmt::format("{:.1f} frames/s, {} loops",
                                           static_cast<double>(summary_.frames) / summary_.seconds,
                                           folder_.closures().size() + folder_.map_closures());
      if (!bar.update(frame->number + 1, sequence_.size(), note)) {
        summary_.interrupted = true;
        break;
      }
    }
    return finish();
  }

 private:
  void take(const FrameFeatures& frame) {
    FrameInfo info = frame_info(frame);
    if (!odometry_.empty()) info.pose = odometry_[frame.number];
    const Detection detection = detector_.process_frame(frame.features, info);
    folder_.add(frame, detection);
    evidence_.note(frame, detection, detector_);
    ++summary_.frames;
    summary_.read_ms += frame.read_ms;
    summary_.extract_ms += frame.extract_ms;
    summary_.times.histogram_ms += detection.times.histogram_ms;
    summary_.times.query_ms += detection.times.query_ms;
    summary_.times.temporal_ms += detection.times.temporal_ms;
    summary_.times.verify_ms += detection.times.verify_ms;
    summary_.times.insert_ms += detection.times.insert_ms;
  }

  void skip(const FrameFeatures& frame) {
    folder_.add_unreadable(frame);
    if (job_.stop_on_bad_image) throw *frame.error;
    ++summary_.unreadable;
    fmt::print(stderr, "warning: frame {} skipped: {}\n", frame.number, frame.error->what());
  }

  DetectSummary finish() {
    evidence_.finish();
    const double n = static_cast<double>(std::max<std::size_t>(1, summary_.frames));
    StageTimes& times = summary_.times;
    for (double* total :
         {&summary_.read_ms, &summary_.extract_ms, &times.histogram_ms, &times.query_ms,
          &times.temporal_ms, &times.verify_ms, &times.insert_ms}) {
      *total /= n;
    }
    return summary_;
  }

  Sequence& sequence_;
  const DetectJob& job_;
  LoopDetector& detector_;
  DetectFolder& folder_;
  EvidenceFiles evidence_;
  std::vector<std::optional<Pose>> odometry_;  ///< per frame; empty: the true poses
  DetectSummary summary_;
};

/// Where the lengths of closures come from.
void choose_depth(const Sequence& sequence, DetectJob& job) {
  if (!job.depth) job.depth = best_depth(sequence);
  ClosurePoseOptions& options = job.detector.closure_pose;
  if (*job.depth != DepthFrom::nothing) {
    options.pose.inverse_depth_sigma = inverse_depth_sigma(sequence.info(), *job.depth);
  }
  options.from_odometry = job.odometry.given();
}

const char* name_of(DepthFrom depth) {
  return depth == DepthFrom::images ? "images" : depth == DepthFrom::stereo ? "stereo" : "none";
}

}  // namespace

DetectSummary run_detection(Sequence& sequence, DetectJob job) {
  const SequenceInfo& info = sequence.info();
  auto selector = parse_keyframe_selector(job.keyframes);
  const auto extractor = make_extractor(job.sequence.extractor);
  job.detector.exclude_recent = job.exclude_recent.value_or(recent_frames(info));
  if (job.use_calibration) job.detector.calibration = info.calibration;
  ask_for_evidence(job);
  choose_depth(sequence, job);

  std::optional<Vocabulary> vocabulary;
  std::string vocabulary_file = job.vocabulary;
#ifdef LOOPTREE_WITH_STORE
  std::optional<DetectMap> map;
  if (!job.map.empty()) map.emplace(job.map, job.topology, job.detector);
  if (map && job.vocabulary.empty()) vocabulary = map->vocabulary();
#endif
  if (!vocabulary) {
    vocabulary = choose_vocabulary(job.vocabulary, job.sequence.extractor);
    if (vocabulary && job.vocabulary.empty()) vocabulary_file = "box";
  }
  const std::string name =
      std::filesystem::path(job.sequence.path + "/").parent_path().filename().string();
  DetectFolder folder(job.output, name.empty() ? "sequence" : name, !job.map.empty());
  if (!vocabulary) {
    vocabulary = train_on_sequence(sequence, *extractor);
    vocabulary_file = (folder.path() / "vocabulary.looptree").string();
    vocabulary->save(vocabulary_file);
    fmt::print("saved it as {}, {} words\n", vocabulary_file, vocabulary->size());
  }
  DetectSummary summary;
#ifdef LOOPTREE_WITH_STORE
  LoopDetector detector =
      map ? map->start(*vocabulary, job.sequence.path, job.detector, std::move(selector))
          : LoopDetector(*vocabulary, job.detector, std::move(selector));
  if (map) {
    job.detector.topology = detector.options().topology;
    summary.map_frames = map->frames_before();
    fmt::print("{}: {} frames before, this session from frame {} on\n", job.map, summary.map_frames,
               map->first().value);
  }
#else
  LoopDetector detector(*vocabulary, job.detector, std::move(selector));
#endif
  nlohmann::json config = describe(job, info, *vocabulary, vocabulary_file);
  if (!job.map.empty()) {
    config["map"] = {{"path", std::filesystem::absolute(job.map).string()},
                     {"frames_before", summary.map_frames},
                     {"first_frame", detector.index().next_id().value}};
  }
  config["depth"] = name_of(*job.depth);
  if (job.odometry.given()) config["odometry"] = describe(job.odometry);
  config["complete"] = false;
  folder.write_config(config);

  const std::size_t map_frames = summary.map_frames;
  try {
    summary = Run(sequence, job, detector, folder).process(*extractor);
  } catch (const Error&) {
    folder.finish(info);  // nothing is lost of what was found before
    throw;
  }
  summary.map_frames = map_frames;
  summary.map_closures = folder.map_closures();
  folder.finish(info);
#ifdef LOOPTREE_WITH_STORE
  if (map) map->close();
#endif
  config["complete"] = !summary.interrupted;
  config["summary"] = {{"frames", summary.frames}, {"seconds", summary.seconds}};
  folder.write_config(config);
  summary.run = folder.path();
  summary.closures = folder.closures();
  summary.exclude_recent = job.detector.exclude_recent;
  return summary;
}

void print_summary(const SequenceInfo& info, const DetectSummary& summary) {
  fmt::print("{} frames, {} closures, {:.1f} frames per second\n", summary.frames,
             summary.closures.size(),
             static_cast<double>(summary.frames) / std::max(1e-9, summary.seconds));
  if (summary.map_frames > 0) {
    fmt::print("{} closures with the {} frames of earlier sessions\n", summary.map_closures,
               summary.map_frames);
  }
  if (summary.unreadable > 0) fmt::print("{} images could not be read\n", summary.unreadable);
  const StageTimes& t = summary.times;
  fmt::print(
      "milliseconds per frame: read {:.2f}, extract {:.2f}, histogram {:.2f}, query {:.3f}, "
      "temporal {:.3f}, verify {:.2f}, insert {:.3f}\n",
      summary.read_ms, summary.extract_ms, t.histogram_ms, t.query_ms, t.temporal_ms, t.verify_ms,
      t.insert_ms);
  print_metric_truth(info, summary.closures);
  const auto truth = judge(info, summary.closures, {.exclude_recent = summary.exclude_recent});
  if (!truth) return;
  const char* same = info.loops ? "marked in the loop mask" : "within 15 m, 60 degrees";
  const char* revisit =
      info.loops ? "frames with a loop in the mask" : "same-direction revisits (5 m, 30 degrees)";
  fmt::print("against the truth: {} of {} closures right ({}), {} of {} {} found ({:.1f}%)\n",
             truth->right, truth->closures, same, truth->found, truth->revisits, revisit,
             100 * truth->recall());
  if (!info.loops) {
    fmt::print("any direction: {} of {} frames within 15 m of an earlier one found ({:.1f}%)\n",
               truth->near_found, truth->near, 100 * truth->near_recall());
  }
}

}  // namespace looptree::cli
