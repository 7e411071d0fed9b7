// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/live.hpp"
#include "looptree/dataset/sequence.hpp"
#include "looptree/detect/loop_detector.hpp"

#include "cli/camera_options.hpp"
#include "cli/detect/detect_summary.hpp"
#include "cli/detect/evidence.hpp"
#include "cli/optimize/odometry.hpp"
#include "cli/sequence_options.hpp"

namespace looptree::cli {

/// What `looptree detect` is asked to do.
struct DetectJob {
  SequenceOptions sequence;
  std::string
      vocabulary;      ///< as choose_vocabulary() takes it; of a map that is there, empty: its own
  std::string output;  ///< the run folder; empty: made
  std::string map;     ///< a file to start or continue; empty: none
  int thumbnail_width = kThumbnailWidth;  ///< of the pictures that the map keeps; 0: none
  int page_picture_width = 0;  ///< of the thumbnails of the frames that on_frame hears of
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

/// Where the images come from: one of the two.
struct DetectSource {
  Sequence* sequence = nullptr;
  LiveSource* live = nullptr;
};

/// Reads the sequence, or the live source to its end or until Ctrl-C, detects, and writes the run
/// folder. After an error in the middle the folder holds what was found before it.
DetectSummary run_detection(const DetectSource& source, DetectJob job);

}  // namespace looptree::cli
