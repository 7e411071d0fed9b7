// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/live.hpp"
#include "looptree/dataset/sequence.hpp"
#include "looptree/detect/loop_detector.hpp"

#include "cli/camera_options.hpp"
#include "cli/detect/evidence.hpp"
#include "cli/optimize/odometry.hpp"
#include "cli/run/detect_folder.hpp"
#include "cli/sequence_options.hpp"

namespace looptree::cli {

/// What `looptree detect` is asked to do.
struct DetectJob {
  SequenceOptions sequence;
  std::string
      vocabulary;      ///< as choose_vocabulary() takes it; of a map that is there, empty: its own
  std::string output;  ///< the run folder; empty: made
  std::string map;     ///< a file to start or continue; empty: none
  std::optional<std::string> topology{};
  std::string keyframes = "all";
  bool stop_on_bad_image = false;
  bool follow = false;  ///< a folder is read as it grows
  LiveOptions live{};
  bool is_live = false;
  bool json = false;  ///< closures as lines of JSON on standard output, and nothing else there
  /// Without a value: 30 s of the sequence, or 300 frames, but at most a quarter of it.
  std::optional<std::uint32_t> exclude_recent{};
  CameraOptions camera;  ///< instead of what the sequence says
  bool use_calibration = true;
  /// Without a value: the best the sequence has.
  std::optional<DepthFrom> depth{};
  /// Poses for the frames, instead of the true ones; and closures get their length of it.
  OdometryArguments odometry{};
  LoopDetectorOptions detector{};
  /// Hears of every frame that was processed, on the thread that detects.
  std::function<void(const FrameFeatures&, const Detection&, const FrameEvidence&)> on_frame{};
  /// Instead of what default_evidence() asks of features of the kind.
  std::optional<std::size_t> min_inliers{};
  std::optional<std::size_t> sure_inliers{};
  std::optional<double> min_coverage{};
};

/// How it went.
struct DetectSummary {
  std::filesystem::path run;
  SequenceInfo info{};         ///< of a live source, what came of it
  std::uint64_t dropped = 0;   ///< frames of a camera that came while the one before was looked at
  std::size_t frames = 0;      ///< processed
  std::size_t seen = 0;        ///< one more than the number of the last
  std::size_t unreadable = 0;  ///< skipped because the image could not be read
  std::uint32_t exclude_recent = 0;
  double seconds = 0;  ///< of wall clock, from the first image to the last answer
  StageTimes times{};  ///< milliseconds per frame, on average
  double read_ms = 0;
  double extract_ms = 0;
  std::vector<Closure> closures;
  std::size_t map_frames = 0;    ///< frames of the map before the run
  std::size_t map_closures = 0;  ///< closures with those
  bool calibrated = false;       ///< without, closures have no poses
  bool interrupted = false;      ///< by Ctrl-C; what was found before is in the run folder
};

/// Where the images come from: one of the two.
struct DetectSource {
  Sequence* sequence = nullptr;
  LiveSource* live = nullptr;
};

/// Reads the sequence, or the live source to its end or until Ctrl-C, detects, and writes the run
/// folder. After an error in the middle the folder holds what was found before it.
DetectSummary run_detection(const DetectSource& source, DetectJob job);

/// Prints what the run found, against the truth where the sequence has it.
void print_summary(const DetectSummary& summary, bool json);

}  // namespace looptree::cli
