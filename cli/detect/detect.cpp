// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "looptree/dataset/live.hpp"
#include "looptree/dataset/open.hpp"

#include "cli/command.hpp"
#include "cli/detect/detect_run.hpp"
#include "cli/shell.hpp"
#include "cli/vocabulary/choose_vocabulary.hpp"
#ifdef LOOPTREE_WITH_SERVER
#include "cli/serve/live_run.hpp"
#include "cli/serve/serve_options.hpp"
#endif

namespace looptree::cli {
namespace {

/// What a job has beside it: the page that shows it while it goes.
struct LiveJob : DetectJob {
#ifdef LOOPTREE_WITH_SERVER
  bool with_page = false;
  ServeOptions serve;
#endif
};

void run(LiveJob job) {
  // Frames are spread over the cores; OpenCV's own threads would only get in their way.
  cv::setNumThreads(1);
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  std::unique_ptr<Sequence> sequence;
  std::unique_ptr<LiveSource> live;
  if (job.follow || is_live(job.sequence.path)) {
    live = open_live(job.sequence.path, job.live);
  } else {
    sequence = open_sequence(job.sequence.path, job.sequence.open);
  }
#ifdef LOOPTREE_WITH_SERVER
  std::optional<LiveRun> page;
  if (job.with_page) {
    job.page_picture_width = LiveRun::kThumbnailWidth;
    page.emplace(job.sequence.path, job.serve);
    job.on_frame = [&](const FrameFeatures& frame, const Detection& detection,
                       const FrameEvidence& evidence) { page->add(frame, detection, evidence); };
    std::FILE* const log = job.json ? stderr : stdout;
    fmt::print(log, "live at {}\n", page->url());
    std::fflush(log);
  }
#endif
  const DetectSummary summary = run_detection({sequence.get(), live.get()}, job);
#ifdef LOOPTREE_WITH_SERVER
  if (page) {
    page->finish(fmt::format("{} view {}", program(), shell_word(summary.run.string())));
  }
#endif
  print_summary(summary, job.json);
  std::FILE* const out = job.json ? stderr : stdout;
  fmt::print(out, "written to {}\n", summary.run.string());
  if (summary.interrupted) throw Error(ErrorKind::cancelled, "stopped on request");
  const std::string run = shell_word(summary.run.string());
  if (live == nullptr) {
    fmt::print(out, "next: {0} show {1}\nor, as a page: {0} view {1}\n", program(), run);
  }
}

/// "640x480".
void parse_size(const std::string& text, LiveOptions& live) {
  char end = 0;
  const bool whole =
      std::sscanf(text.c_str(), "%dx%d%c", &live.raw_width, &live.raw_height, &end) == 2;
  if (whole && live.raw_width > 0 && live.raw_height > 0) return;
  throw CLI::ValidationError("--size", "expected WIDTHxHEIGHT, found '" + text + "'");
}

void add_live_options(CLI::App& command, DetectJob& job) {
  command.add_flag("--follow", job.follow, "A folder: take images as they are written into it");
  command.add_option_function<std::string>(
      "--size", [&job](const std::string& text) { parse_size(text, job.live); },
      "A pipe of raw grey images of 8 bits, WIDTHxHEIGHT each");
  command
      .add_option("--idle", job.live.idle_s, "A live source: end after so many seconds of nothing")
      ->check(CLI::NonNegativeNumber);
  command.add_flag(
      "--json", job.json,
      "Print closures as they come, a line of JSON each, and all else to standard error");
}

void add_detector_options(CLI::App& command, DetectJob& job) {
  LoopDetectorOptions& options = job.detector;
  command.add_option("--exclude-recent", job.exclude_recent,
                     "Frames before the query that are no loops; default: 30 s, or 300 frames, "
                     "and at most a quarter of the sequence");
  command
      .add_option("--keyframes", job.keyframes,
                  "all, every:N, motion:METRES,DEGREES or appearance:SCORE")
      ->capture_default_str();
  command.add_option_function<std::string>(
      "--topology",
      [&job](const std::string& name) {
        job.topology = name;
        job.detector.topology = Topology::parse(name);
      },
      "How frames are pooled: d1 (flat, default), d2b16-mean, d3b8-max, ...");
  command.add_option("--threshold", options.threshold, "Least score of a candidate")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_flag_callback(
      "--absolute", [&options] { options.threshold_kind = ThresholdKind::absolute; },
      "Take the threshold as a score, not as a part of the score against the previous frame");
  command.add_option("--top-k", options.top_k, "Best-scoring frames looked at")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option("--sequence-k", options.sequence_k,
                  "Best-scoring frames whose scores add up along the way; 0: none")
      ->capture_default_str();
  command
      .add_option("--consistent-queries", options.consistent_queries,
                  "Queries in a row that must point to a place")
      ->capture_default_str();
  command.add_option("--max-verified", options.max_verified, "Candidates verified per frame")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--min-inliers", job.min_inliers, "Inliers of a closure, once consistent");
  command.add_option("--sure-inliers", job.sure_inliers, "Inliers of a closure at first sight");
  command.add_option("--min-coverage", job.min_coverage, "Part of the image inliers must cover");
  command
      .add_option("--stored-features", options.stored_features.max_per_frame,
                  "Features of a frame that are kept to verify later frames against")
      ->capture_default_str();
  command
      .add_option("--max-frames", options.max_frames,
                  "Frames that are kept at most; the oldest go. Default: all")
      ->check(CLI::PositiveNumber);
  command.add_flag("!--no-geometry", options.verify_geometry, "Do not verify geometry");
  add_camera_options(command, job.camera);
  command.add_flag("!--no-calibration", job.use_calibration,
                   "Verify by the fundamental matrix even where the camera is calibrated");
  command.add_option("--direct-index-levels", options.verification.direct_index_levels,
                     "Match only descriptors under one node, this many levels above the words");
}

void add_metric_options(CLI::App& command, DetectJob& job) {
  command
      .add_option_function<std::string>(
          "--depth",
          [&job](const std::string& name) {
            if (name != "auto") {
              job.depth = name == "images"   ? DepthFrom::images
                          : name == "stereo" ? DepthFrom::stereo
                                             : DepthFrom::nothing;
            }
          },
          "What gives closures their length: auto (default: what there is), images (of depth),\n"
          "stereo (a second camera), none")
      ->check(CLI::IsMember({"auto", "images", "stereo", "none"}))
      ->option_text("SOURCE");
  command.add_option(
      "--odometry", job.odometry.file,
      "The trajectory by odometry or SLAM, which gives closures of one camera their\n"
      "length: TUM's rows (time tx ty tz qx qy qz qw), joined with the frames by\n"
      "time, or KITTI's (12 numbers), one per frame");
  add_drift_options(command, job.odometry);
}

}  // namespace

void add_detect(CLI::App& app) {
  const auto job = std::make_shared<LiveJob>();
  CLI::App* command = app.add_subcommand("detect", "Say where the camera of a sequence came back");
  command
      ->add_option("sequence", job->sequence.path,
                   "A folder of images, a video, a dataset, a list of images (.txt), a pattern;\n"
                   "or live: /dev/video0, rtsp://..., - (a pipe), a folder with --follow")
      ->required();
  command->add_option("--vocabulary", job->vocabulary, kVocabularyHelp);
#ifdef LOOPTREE_WITH_STORE
  command->add_option("--map", job->map,
                      "A map on disk to start, or to continue as a new session: loops to its\n"
                      "earlier sessions are found too, and go to map_closures.csv");
  command
      ->add_option("--thumbnail-width", job->thumbnail_width,
                   "Pixels of the picture that the map keeps of each frame; 0: none")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
#endif
  command->add_option("-o,--output", job->output,
                      "The run folder; default runs/TIME-NAME, linked as "
                      "runs/latest");
  command->add_flag("--stop-on-bad-image", job->stop_on_bad_image,
                    "Stop at an image that cannot be read, instead of skipping it");
  add_metric_options(*command, *job);
  add_sequence_options(*command, job->sequence);
  add_live_options(*command, *job);
  add_detector_options(*command, *job);
#ifdef LOOPTREE_WITH_SERVER
  command->add_flag(
      "--live", job->with_page,
      "Serve the run as a page while it goes on, where \"looptree view\" is for later");
  add_serve_options(*command, job->serve);
#endif
  command->footer(
      "Writes config.json, closures.csv (query,match,...), frames.csv (one row per frame with its\n"
      "decision and the reason), closures.g2o and closures_tum.txt. \"demo\" is the rendered "
      "street\n"
      "scene.\n\n"
      "Example: looptree detect demo --output /tmp/run && looptree show /tmp/run\n"
      "         looptree detect /dev/video0 --json\n"
      "         ffmpeg -i film.mkv -f mjpeg - | looptree detect -\n"
      "         looptree detect monday --map city.map && looptree detect tuesday --map city.map");
  command->callback([job] { run(*job); });
}

}  // namespace looptree::cli
