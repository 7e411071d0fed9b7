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

#include "cli/detect/closure_lines.hpp"
#include "cli/detect/evidence.hpp"
#include "cli/detect/feed.hpp"
#include "cli/progress_bar.hpp"
#include "cli/run/metric_truth.hpp"
#include "cli/run/truth.hpp"
#include "cli/vocabulary/choose_vocabulary.hpp"
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
  if (info.frames.empty()) return kRecentFrames;  // live
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
        {"topic", job.sequence.open.topic},
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
    write_camera(config, *d.calibration);
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
  /// `camera`: what images it is for, if that is known.
  Run(const SequenceInfo& info, const DetectJob& job, LoopDetector& detector, DetectFolder& folder,
      const CameraFile& camera)
      : job_(job),
        detector_(detector),
        folder_(folder),
        camera_(camera),
        evidence_(folder.path(), detector.index().next_id()) {
    if (!job.odometry.given()) return;
    odometry_.resize(info.frames.size());
    const Odometry known = odometry_of(info, job.odometry);
    for (std::size_t i = 0; i < known.frames.size(); ++i) {
      odometry_[known.frames[i]] = known.poses[i];
    }
  }

  DetectSummary process(Feed& feed) {
    const auto start = Clock::now();
    const bool is_live = feed.total() == 0;
    ProgressBar bar("detecting");
    while (const auto frame = feed.next()) {
      if (frame->error) {
        skip(*frame);
      } else {
        take(*frame);
      }
      summary_.seen = frame->number + 1;
      summary_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      const std::string note = fmt::format("{:.1f} frames/s, {} loops",
                                           static_cast<double>(summary_.frames) / summary_.seconds,
                                           folder_.closures().size() + folder_.map_closures());
      if (!bar.update(frame->number + 1, feed.total(), note)) {
        summary_.interrupted = !is_live;  // a camera ends in no other way
        break;
      }
    }
    summary_.dropped = feed.dropped();
    return finish();
  }

 private:
  void take(const FrameFeatures& frame) {
    check_camera(frame.features);
    FrameInfo info = frame_info(frame);
    if (!odometry_.empty()) info.pose = odometry_[frame.number];
    const Detection detection = detector_.process_frame(frame.features, info);
    folder_.add(frame, detection);
    const FrameEvidence evidence = evidence_.note(frame, detection, detector_);
    if (job_.on_frame) job_.on_frame(frame, detection, evidence);
    if (detection.is_closure()) tell(detection);
    ++summary_.frames;
    summary_.read_ms += frame.read_ms;
    summary_.extract_ms += frame.extract_ms;
    summary_.times.histogram_ms += detection.times.histogram_ms;
    summary_.times.query_ms += detection.times.query_ms;
    summary_.times.temporal_ms += detection.times.temporal_ms;
    summary_.times.verify_ms += detection.times.verify_ms;
    summary_.times.insert_ms += detection.times.insert_ms;
  }

  void tell(const Detection& detection) const {
    if (job_.json) {
      fmt::print("{}\n", closure_json(detection));
    } else if (job_.follow || job_.is_live) {
      fmt::print("{}: {}\n", to_string(detection.frame), detection.explain());
    }
    std::fflush(stdout);
  }

  /// Images that were scaled after the camera was calibrated would give wrong poses silently.
  void check_camera(const Features& features) const {
    if (camera_.width == 0 || camera_.height == 0) return;
    if (features.width == camera_.width && features.height == camera_.height) return;
    throw Error(ErrorKind::invalid_argument,
                fmt::format("expected images of {}x{}, for which the calibration in {} is, found "
                            "{}x{}",
                            camera_.width, camera_.height, job_.camera.file, features.width,
                            features.height));
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

  const DetectJob& job_;
  LoopDetector& detector_;
  DetectFolder& folder_;
  CameraFile camera_;
  EvidenceFiles evidence_;
  std::vector<std::optional<Pose>> odometry_;  ///< per frame; empty: the true poses
  DetectSummary summary_;
};

/// What would otherwise be noticed only after a vocabulary was trained.
void check_before_work(const DetectJob& job, const SequenceInfo& info) {
  const bool has_poses = !info.frames.empty() && info.frames.front().pose.has_value();
  if (job.keyframes.starts_with("motion") && !has_poses) {
    throw Error(ErrorKind::invalid_argument,
                fmt::format("expected a sequence with poses for --keyframes {}, found none: use "
                            "every:N or appearance:SCORE",
                            job.keyframes));
  }
}

/// Where the lengths of closures come from; `sequence` is null for a live source, which has none.
void choose_depth(const Sequence* sequence, DetectJob& job) {
  require(sequence != nullptr || !job.odometry.given(), ErrorKind::invalid_argument,
          "expected a sequence for odometry, found a live source");
  if (sequence == nullptr) job.depth = DepthFrom::nothing;
  if (!job.depth) job.depth = best_depth(*sequence);
  ClosurePoseOptions& options = job.detector.closure_pose;
  if (*job.depth != DepthFrom::nothing) {
    options.pose.inverse_depth_sigma = inverse_depth_sigma(sequence->info(), *job.depth);
  }
  options.from_odometry = job.odometry.given();
}

const char* name_of(DepthFrom depth) {
  return depth == DepthFrom::images ? "images" : depth == DepthFrom::stereo ? "stereo" : "none";
}

}  // namespace

DetectSummary run_detection(const DetectSource& source, DetectJob job) {
  job.is_live = source.live != nullptr;
  const SequenceInfo known =
      source.sequence != nullptr ? source.sequence->info() : SequenceInfo{.format = "live"};
  auto selector = parse_keyframe_selector(job.keyframes);
  check_before_work(job, known);
  const auto extractor = make_extractor(job.sequence.extractor);
  job.detector.exclude_recent = job.exclude_recent.value_or(recent_frames(known));
  const std::optional<CameraFile> camera = camera_of(job.camera);
  if (job.use_calibration) job.detector.calibration = known.calibration;
  if (camera) job.detector.calibration = camera->calibration;
  ask_for_evidence(job);
  choose_depth(source.sequence, job);

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
    require(
        source.sequence != nullptr, ErrorKind::invalid_argument,
        "expected --vocabulary FILE or a --map that exists: what comes live cannot be read twice "
        "to train a vocabulary on it first");
    vocabulary = train_on_sequence(*source.sequence, *extractor);
    vocabulary_file = (folder.path() / "vocabulary.looptree").string();
    vocabulary->save(vocabulary_file);
    fmt::print(job.json ? stderr : stdout, "saved it as {}, {} words\n", vocabulary_file,
               vocabulary->size());
  }
  DetectSummary summary;
#ifdef LOOPTREE_WITH_STORE
  LoopDetector detector =
      map ? map->start(*vocabulary, job.sequence.path, job.detector, std::move(selector))
          : LoopDetector(*vocabulary, job.detector, std::move(selector));
  if (map) {
    job.detector.topology = detector.options().topology;
    summary.map_frames = map->frames_before();
    fmt::print(job.json ? stderr : stdout, "{}: {} frames before, this session from frame {} on\n",
               job.map, summary.map_frames, map->first().value);
  }
#else
  LoopDetector detector(*vocabulary, job.detector, std::move(selector));
#endif
  nlohmann::json config = describe(job, known, *vocabulary, vocabulary_file);
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
  const auto feed = source.sequence != nullptr
                        ? feed_of(*source.sequence, *extractor, *job.depth)
                        : feed_of(*source.live, *extractor, [] { return !interrupted_by_user(); });
  try {
    summary = Run(known, job, detector, folder, camera.value_or(CameraFile{})).process(*feed);
  } catch (const Error&) {
    folder.finish(feed->info());  // nothing is lost of what was found before
    throw;
  }
  summary.map_frames = map_frames;
  summary.map_closures = folder.map_closures();
  folder.finish(feed->info());
#ifdef LOOPTREE_WITH_STORE
  if (map) map->close();
#endif
  config["sequence"]["frames"] = feed->info().frames.size();
  config["complete"] = !summary.interrupted;
  config["summary"] = {{"frames", summary.frames}, {"seconds", summary.seconds}};
  folder.write_config(config);
  summary.run = folder.path();
  summary.info = feed->info();
  summary.closures = folder.closures();
  summary.calibrated = job.detector.calibration.has_value();
  summary.exclude_recent = job.detector.exclude_recent;
  return summary;
}

void print_summary(const DetectSummary& summary, bool json) {
  std::FILE* const out = json ? stderr : stdout;
  const SequenceInfo& info = summary.info;
  fmt::print(out, "{} frames, {} closures, {:.1f} frames per second\n", summary.frames,
             summary.closures.size(),
             static_cast<double>(summary.frames) / std::max(1e-9, summary.seconds));
  if (summary.map_frames > 0) {
    fmt::print(out, "{} closures with the {} frames of earlier sessions\n", summary.map_closures,
               summary.map_frames);
  }
  if (!summary.calibrated && summary.closures.size() + summary.map_closures > 0) {
    fmt::print(
        out,
        "closures have no relative poses, and closures.g2o no edges: the camera is not calibrated "
        "(--calibration FX FY CX CY, or --calibration-file FILE)\n");
  }
  if (summary.dropped > 0) {
    fmt::print(out, "{} frames of the camera came while another was looked at, and were dropped\n",
               summary.dropped);
  }
  if (!info.skipped.empty()) {
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, info.skipped.size()); ++i) {
      names += (i == 0 ? "" : ", ") + info.skipped[i];
    }
    fmt::print(out, "{} files of the folder are no images: {}{}\n", info.skipped.size(), names,
               info.skipped.size() > 3 ? ", ..." : "");
  }
  if (summary.unreadable > 0) {
    fmt::print(out, "{} images skipped: unreadable, or of another size than the first\n",
               summary.unreadable);
  }
  const StageTimes& t = summary.times;
  fmt::print(out,
             "milliseconds per frame: read {:.2f}, extract {:.2f}, histogram {:.2f}, query {:.3f}, "
             "temporal {:.3f}, verify {:.2f}, insert {:.3f}\n",
             summary.read_ms, summary.extract_ms, t.histogram_ms, t.query_ms, t.temporal_ms,
             t.verify_ms, t.insert_ms);
  print_metric_truth(info, summary.closures);
  // After Ctrl-C only what was seen counts.
  SequenceInfo seen = info;
  if (summary.interrupted) seen.frames.resize(std::min(info.frames.size(), summary.seen));
  const auto truth = judge(seen, summary.closures, {.exclude_recent = summary.exclude_recent});
  if (!truth) return;
  const char* same = info.loops ? "marked in the loop mask" : "within 15 m, 60 degrees";
  const char* revisit =
      info.loops ? "frames with a loop in the mask" : "same-direction revisits (5 m, 30 degrees)";
  fmt::print(out, "against the truth: {} of {} closures right ({}), {} of {} {} found ({:.1f}%)\n",
             truth->right, truth->closures, same, truth->found, truth->revisits, revisit,
             100 * truth->recall());
  if (!info.loops) {
    fmt::print(out,
               "any direction: {} of {} frames within 15 m of an earlier one found ({:.1f}%)\n",
               truth->near_found, truth->near, 100 * truth->near_recall());
  }
}

}  // namespace looptree::cli
