// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/detect/detect_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/feature_stream.hpp"

#include "cli/detect/closure_lines.hpp"
#include "cli/detect/evidence.hpp"
#include "cli/detect/feed.hpp"
#include "cli/detect/run_config.hpp"
#include "cli/fit_features.hpp"
#include "cli/progress_bar.hpp"
#include "cli/vocabulary/choose_vocabulary.hpp"
#ifdef LOOPTREE_WITH_STORE
#include "cli/detect/detect_map.hpp"
#endif

namespace looptree::cli {
namespace {

#ifndef LOOPTREE_WITH_STORE
class DetectMap {};  // there is never one
#endif

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

/// What geometry must show: as usual for the features, unless the user says otherwise.
void set_evidence(DetectJob& job) {
  job.detector = default_options(job.sequence.extractor.kind, std::move(job.detector));
  Evidence& evidence = job.detector.evidence;
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
    if (job_.page_picture_width > 0) info.thumbnail = for_map(frame.thumbnail);
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

  /// What the map keeps of a picture that was made for the page.
  std::vector<std::uint8_t> for_map(const std::vector<std::uint8_t>& picture) const {
    if (job_.map.empty() || job_.thumbnail_width == 0) return {};
    return smaller_thumbnail(picture, job_.thumbnail_width);
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
    folder_.add_skipped(frame);
    if (job_.stop_on_bad_image) throw *frame.error;
    ++(frame.is_another_size ? summary_.other_size : summary_.unreadable);
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

/// Sets what the user left open, by what the images are and bring along.
void complete(DetectJob& job, const DetectSource& source, const SequenceInfo& known,
              const std::optional<CameraFile>& camera) {
  job.is_live = source.live != nullptr;
  job.detector.exclude_recent = job.exclude_recent.value_or(recent_frames(known));
  if (job.use_calibration) job.detector.calibration = known.calibration;
  if (camera) job.detector.calibration = camera->calibration;
  set_evidence(job);
  choose_depth(source.sequence, job);
}

/// Where a run says what it does, which is not among its results.
std::FILE* log_of(const DetectJob& job) {
  return job.json ? stderr : stdout;
}

/// The vocabulary of a run, and where it came from as config.json has it.
struct RunVocabulary {
  Vocabulary vocabulary;
  std::string file;
};

/// Of the map, a file, or the box; nothing where one has to be trained. `map` may be null. Features
/// that the user left open become those that fit.
std::optional<RunVocabulary> vocabulary_at_hand(DetectJob& job,
                                                [[maybe_unused]] const DetectMap* map) {
  std::optional<Vocabulary> vocabulary;
#ifdef LOOPTREE_WITH_STORE
  if (map != nullptr && job.vocabulary.empty()) vocabulary = map->vocabulary();
  if (vocabulary) {
    fit_features(job.sequence.extractor, vocabulary->content_hash());
    return RunVocabulary{std::move(*vocabulary), ""};
  }
#endif
  vocabulary = choose_vocabulary(job.vocabulary, job.sequence.extractor);
  if (!vocabulary) return std::nullopt;
  return RunVocabulary{std::move(*vocabulary), job.vocabulary.empty() ? "box" : job.vocabulary};
}

/// One of the images themselves. `sequence` is null for a live source.
Vocabulary trained_vocabulary(Sequence* sequence, const FeatureExtractor& extractor) {
  require(sequence != nullptr, ErrorKind::invalid_argument,
          "expected --vocabulary FILE or a --map that exists: what comes live cannot be read twice "
          "to train a vocabulary on it first");
  return train_on_sequence(*sequence, extractor);
}

/// One that was trained is kept beside the results.
void keep_beside(const DetectJob& job, const std::filesystem::path& run,
                 RunVocabulary& vocabulary) {
  vocabulary.file = (run / "vocabulary.looptree").string();
  vocabulary.vocabulary.save(vocabulary.file);
  fmt::print(log_of(job), "saved it as {}, {} words\n", vocabulary.file,
             vocabulary.vocabulary.size());
}

/// Otherwise the first frame would be refused, when the run and its folder have begun.
void check_fits(const Vocabulary& vocabulary, const DetectJob& job,
                const FeatureExtractor& extractor) {
  if (vocabulary.descriptor_type() == extractor.descriptor_type() &&
      vocabulary.descriptor_width() == extractor.descriptor_width()) {
    return;
  }
  const auto describe = [](DescriptorType type, std::size_t width) {
    return fmt::format("{} {}", width, type == DescriptorType::binary ? "bytes" : "floats");
  };
  throw Error(ErrorKind::invalid_argument,
              fmt::format("expected a vocabulary of descriptors of {}, as --features {} makes "
                          "them, found one of {}: give the features that the {} was made with",
                          describe(extractor.descriptor_type(), extractor.descriptor_width()),
                          to_string(job.sequence.extractor.kind),
                          describe(vocabulary.descriptor_type(), vocabulary.descriptor_width()),
                          job.vocabulary.empty() ? "map" : "vocabulary"));
}

/// A detector on the map, whose topology the job then has, or on its own memory if `map` is null.
LoopDetector make_detector(DetectJob& job, const Vocabulary& vocabulary,
                           std::unique_ptr<KeyframeSelector> selector,
                           [[maybe_unused]] DetectMap* map) {
#ifdef LOOPTREE_WITH_STORE
  if (map != nullptr) {
    LoopDetector detector =
        map->start(vocabulary, job.sequence.path, job.detector, std::move(selector));
    job.detector.topology = detector.options().topology;
    fmt::print(log_of(job), "{}: {} frames before, this session from frame {} on\n", job.map,
               map->frames_before(), map->first().value);
    return detector;
  }
#endif
  return LoopDetector(vocabulary, job.detector, std::move(selector));
}

/// Into config.json's "map"; the number of frames that were there before.
std::size_t describe_map(const DetectJob& job, [[maybe_unused]] const DetectMap* map,
                         nlohmann::json& config) {
#ifdef LOOPTREE_WITH_STORE
  if (map != nullptr) {
    config["map"] = {{"path", std::filesystem::absolute(job.map).string()},
                     {"frames_before", map->frames_before()},
                     {"first_frame", map->first().value}};
    return map->frames_before();
  }
#endif
  return 0;
}

/// What became of the run, into config.json.
void describe_end(const DetectSummary& summary, nlohmann::json& config) {
  config["sequence"]["frames"] = summary.info.frames.size();
  config["complete"] = !summary.interrupted;
  config["summary"] = {{"frames", summary.frames}, {"seconds", summary.seconds}};
}

/// "My Drive" for "videos/My Drive/".
std::string name_of_sequence(const std::string& path) {
  const std::string name = std::filesystem::path(path + "/").parent_path().filename().string();
  return name.empty() ? "sequence" : name;
}

}  // namespace

DetectSummary run_detection(const DetectSource& source, DetectJob job) {
  const SequenceInfo known =
      source.sequence != nullptr ? source.sequence->info() : SequenceInfo{.format = "live"};
  auto selector = parse_keyframe_selector(job.keyframes);
  check_before_work(job, known);
  const std::optional<CameraFile> camera = camera_of(job.camera);
  std::unique_ptr<DetectMap> map;
#ifdef LOOPTREE_WITH_STORE
  if (!job.map.empty()) map = std::make_unique<DetectMap>(job.map, job.topology, job.detector);
#endif
  std::optional<RunVocabulary> vocabulary = vocabulary_at_hand(job, map.get());
  const auto extractor = make_extractor(job.sequence.extractor);
  complete(job, source, known, camera);

  // What is refused leaves nothing behind, neither a folder nor a session.
  check_run_path(job.output);
  const bool is_trained = !vocabulary;
  if (is_trained) vocabulary = {trained_vocabulary(source.sequence, *extractor), ""};
  check_fits(vocabulary->vocabulary, job, *extractor);
  LoopDetector detector =
      make_detector(job, vocabulary->vocabulary, std::move(selector), map.get());
  DetectFolder folder(job.output, name_of_sequence(job.sequence.path), !job.map.empty());
  if (is_trained) keep_beside(job, folder.path(), *vocabulary);
  nlohmann::json config = run_config(job, known, vocabulary->vocabulary, vocabulary->file);
  const std::size_t map_frames = describe_map(job, map.get(), config);
  folder.write_config(config);

  const int thumbnail_width =
      std::max(job.page_picture_width, job.map.empty() ? 0 : job.thumbnail_width);
  const auto feed =
      source.sequence != nullptr
          ? feed_of(*source.sequence, *extractor, *job.depth, thumbnail_width)
          : feed_of(
                *source.live, *extractor, [] { return !interrupted_by_user(); }, thumbnail_width);
  DetectSummary summary;
  try {
    summary = Run(known, job, detector, folder, camera.value_or(CameraFile{})).process(*feed);
  } catch (const Error&) {
    folder.finish(feed->info());  // nothing is lost of what was found before
    throw;
  }
  folder.finish(feed->info());
#ifdef LOOPTREE_WITH_STORE
  if (map) map->close();
#endif
  summary.run = folder.path();
  summary.info = feed->info();
  summary.closures = folder.closures();
  summary.map_frames = map_frames;
  summary.map_closures = folder.map_closures();
  summary.calibrated = job.detector.calibration.has_value();
  summary.exclude_recent = job.detector.exclude_recent;
  describe_end(summary, config);
  folder.write_config(config);
  return summary;
}

}  // namespace looptree::cli
