// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <memory>

#include <fmt/core.h>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "looptree/dataset/open.hpp"

#include "cli/command.hpp"
#include "cli/detect/choose_vocabulary.hpp"
#include "cli/detect/detect_run.hpp"
#include "cli/shell.hpp"

namespace looptree::cli {
namespace {

void run(const DetectJob& job) {
  // Frames are spread over the cores; OpenCV's own threads would only get in their way.
  cv::setNumThreads(1);
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  const auto sequence = open_sequence(job.sequence.path, job.sequence.open);
  const DetectSummary summary = run_detection(*sequence, job);
  print_summary(sequence->info(), summary);
  fmt::print("written to {}\n", summary.run.string());
  if (summary.interrupted) throw Error(ErrorKind::cancelled, "stopped on request");
  const std::string run = shell_word(summary.run.string());
  fmt::print("next: {0} show {1}\nor, as a page: {0} view {1}\n", program(), run);
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
      ->capture_default_str();
  command.add_flag_callback(
      "--absolute", [&options] { options.threshold_kind = ThresholdKind::absolute; },
      "Take the threshold as a score, not as a part of the score against the previous frame");
  command.add_option("--top-k", options.top_k, "Best-scoring frames looked at")
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
  const auto job = std::make_shared<DetectJob>();
  CLI::App* command = app.add_subcommand("detect", "Say where the camera of a sequence came back");
  command->add_option("sequence", job->sequence.path, "A folder of images, a video, a dataset")
      ->required();
  command->add_option("--vocabulary", job->vocabulary, kVocabularyHelp);
#ifdef LOOPTREE_WITH_STORE
  command->add_option("--map", job->map,
                      "A map on disk to start, or to continue as a new session: loops to its\n"
                      "earlier sessions are found too, and go to map_closures.csv");
#endif
  command->add_option("-o,--output", job->output,
                      "The run folder; default runs/TIME-NAME, linked as "
                      "runs/latest");
  command->add_flag("--stop-on-bad-image", job->stop_on_bad_image,
                    "Stop at an image that cannot be read, instead of skipping it");
  add_metric_options(*command, *job);
  add_sequence_options(*command, job->sequence);
  add_detector_options(*command, *job);
  command->footer(
      "Writes config.json, closures.csv (query,match,...), frames.csv (one row per frame with its\n"
      "decision and the reason), closures.g2o and closures_tum.txt. \"demo\" is the rendered "
      "street\n"
      "scene.\n\n"
      "Example: looptree detect demo --output /tmp/run && looptree show /tmp/run\n"
      "         looptree detect monday --map city.map && looptree detect tuesday --map city.map");
  command->callback([job] { run(*job); });
}

}  // namespace looptree::cli
