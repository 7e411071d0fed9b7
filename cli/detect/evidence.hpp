// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "looptree/dataset/feature_stream.hpp"
#include "looptree/detect/loop_detector.hpp"

namespace looptree::cli {

/// What geometry and the query said of a frame beside its Detection, in numbers of the sequence.
struct FrameEvidence {
  std::optional<std::size_t> match;  ///< nothing without inliers
  std::string points;                ///< the inliers, as evidence.csv has them
  std::string others;                ///< as similar.csv has them
};

/// What `looptree view` shows of a decision beside its numbers, as two tables in the run folder:
///   evidence.csv  for every frame that geometry looked at: the best match, how it sees the frame,
///                 and where the inliers lie
///   similar.csv   what else every frame looks like, and how much
/// docs/formats/run.md describes them. Rows are written as they come.
class EvidenceFiles {
 public:
  /// `first`: the id that the first frame of the run will get; those before it are a map's. Throws
  /// Error(io) if the files cannot be made.
  EvidenceFiles(const std::filesystem::path& folder, FrameId first);

  /// Writes what there is to say of a frame that `detector` has just processed, and returns it.
  FrameEvidence note(const FrameFeatures& frame, const Detection& detection,
                     const LoopDetector& detector);
  /// Throws Error(io) unless all of it has reached the files.
  void finish();

 private:
  /// The number in the sequence; nothing for a frame of the map.
  std::optional<std::size_t> number(FrameId id) const;
  std::string others(const Detection& detection, const LoopDetector& detector) const;

  std::filesystem::path folder_;
  std::ofstream evidence_;
  std::ofstream similar_;
  FrameId first_;
  std::vector<std::size_t> numbers_;  ///< of every inserted frame, its number in the sequence
};

}  // namespace looptree::cli
