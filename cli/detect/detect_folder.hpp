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
};

/// What a run of `looptree detect` leaves behind: config.json, frames.csv, closures.csv,
/// closures.g2o and closures_tum.txt. Rows are written as they come, so that a run that breaks off
/// leaves what it had found. docs/detect.md describes the files.
class DetectFolder {
 public:
  /// Makes the folder. An empty path makes runs/TIME-NAME, and a link runs/latest to it. Throws
  /// Error(io) if that fails, or Error(invalid_argument) if a run is there already.
  DetectFolder(const std::string& path, const std::string& name);

  const std::filesystem::path& path() const { return path_; }
  void write_config(const nlohmann::json& config) const;

  /// One row of frames.csv, and of closures.csv if it is one. `match` is the number of the matched
  /// frame in the sequence; nothing if it is not of this sequence.
  void add(const FrameFeatures& frame, const Detection& detection,
           std::optional<std::size_t> match);
  /// A row of map_closures.csv: a closure with a frame of a map that was there before the run.
  void add_map_closure(const FrameFeatures& frame, const Detection& detection,
                       std::uint32_t session, const std::string& name);
  /// A frame that could not be read.
  void add_unreadable(const FrameFeatures& frame);
  /// Writes what needs all closures: the files for pose graphs.
  void finish(const SequenceInfo& info);

  const std::vector<Closure>& closures() const { return closures_; }

 private:
  void write_g2o(const SequenceInfo& info) const;
  void write_tum(const SequenceInfo& info) const;

  std::filesystem::path path_;
  std::ofstream frames_;
  std::ofstream closures_file_;
  std::ofstream map_closures_;  ///< made with its first row
  std::vector<Closure> closures_;
};

/// The configuration of a run. Throws Error(not_found or corruption).
nlohmann::json read_config(const std::filesystem::path& run);

}  // namespace looptree::cli
