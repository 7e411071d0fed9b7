// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/sequence.hpp"
#include "looptree/detect/loop_detector.hpp"

namespace looptree::cli {

/// A closure by the numbers of its frames in the sequence.
struct Closure {
  std::size_t query = 0;
  std::size_t match = 0;
  double score = 0;
  std::size_t inliers = 0;
  std::optional<RelativePose> match_from_query{};
  std::optional<MetricPose> metric{};
};

/// Throws Error(invalid_argument) if the folder of a new run is taken; an empty path never is.
void check_run_path(const std::string& path);

/// What a run of `looptree detect` leaves behind: config.json, frames.csv, closures.csv,
/// closures.g2o and closures_tum.txt; of a run on a map map_closures.csv and map_closures.g2o, too.
/// Rows are written as they come, so that a run that breaks off leaves what it had found.
/// docs/detect.md describes the files.
class DetectFolder {
 public:
  /// Makes the folder, with map_closures.csv in it for a run on a map. An empty path makes
  /// runs/TIME-NAME, and a link runs/latest to it. Throws
  /// Error(io) if that fails, or Error(invalid_argument) if a run is there already.
  DetectFolder(const std::string& path, const std::string& name, bool with_map);

  const std::filesystem::path& path() const { return path_; }
  void write_config(const nlohmann::json& config) const;

  /// One row of frames.csv, and of closures.csv or map_closures.csv if it is a closure: with a
  /// frame of this sequence, or with one of a map that was there before the run.
  void add(const FrameFeatures& frame, const Detection& detection);
  /// A frame that could not be read, or is of another size than those before.
  void add_skipped(const FrameFeatures& frame);
  /// Writes what needs all closures: the files for pose graphs.
  void finish(const SequenceInfo& info);

  const std::vector<Closure>& closures() const { return closures_; }
  /// Closures with frames that were there before the run.
  std::size_t map_closures() const { return map_closures_found_.size(); }

 private:
  void add_closure(const FrameFeatures& frame, const Detection& detection);
  void add_map_closure(const FrameFeatures& frame, const Detection& detection);
  void write_g2o(const SequenceInfo& info) const;
  void write_map_g2o() const;
  void write_tum(const SequenceInfo& info) const;

  std::filesystem::path path_;
  std::ofstream frames_;
  std::ofstream closures_file_;
  std::ofstream map_closures_;               ///< of runs on a map
  std::vector<Closure> map_closures_found_;  ///< by ids of the map
  std::vector<Closure> closures_;
};

/// The configuration of a run. Throws Error(not_found or corruption).
nlohmann::json read_config(const std::filesystem::path& run);

}  // namespace looptree::cli
