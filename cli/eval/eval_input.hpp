// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "looptree/common/pose.hpp"
#include "looptree/evaluate/engine.hpp"
#include "looptree/evaluate/ground_truth.hpp"
#include "looptree/evaluate/protocols/incremental.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::cli {

/// What makes two frames the same place; every protocol on routes asks for it.
struct TruthOptions {
  evaluate::PoseRule rule;
  std::size_t exclude_recent = 300;
  std::string matrix;  ///< a text file of 0 and 1 instead of poses

  void add_to(CLI::App& app);
};

/// A sequence ready for the protocols.
struct Input {
  std::string name;
  evaluate::WordSpace words;
  std::vector<Histogram> histograms;
  std::vector<Pose> poses;                        ///< empty where unknown
  std::vector<std::uint32_t> labels;              ///< likewise
  std::vector<std::vector<std::uint32_t>> loops;  ///< likewise: the frames of the same place

  /// Whether truth() has anything to go by.
  bool has_truth(const TruthOptions& options) const;
  /// By matrix, loops, poses or labels, the first there is. Throws Error(not_found) if there is
  /// none.
  evaluate::GroundTruth truth(const TruthOptions& options) const;
  evaluate::Route route(const TruthOptions& options) const;
};

/// How inputs are named on the command line, for help texts.
inline constexpr const char* kInputHelp =
    "a word file, stream:FRAMES (made up, 10,000 words) or stream-1m:FRAMES (884,885 words)";

/// Loads a sequence by name. Throws Error(not_found) and the like with what was expected.
Input load_input(const std::string& name);

/// Loads several as one drive, one behind the other: places of different sequences are different
/// places. Throws as load_input() does, and Error(invalid_argument) unless all are of one
/// vocabulary and all know the same of their frames.
Input load_joined(const std::vector<std::string>& names);

/// Throws Error(invalid_argument) unless all are of one vocabulary.
void check_same_vocabulary(const std::vector<const Input*>& inputs);

/// A row of 12 numbers per frame, as KITTI writes them.
std::vector<Pose> read_poses(const std::filesystem::path& path);

/// The matrix of 0 and 1 in a text file, rows on lines, separated by spaces or commas.
evaluate::GroundTruth read_matrix(const std::filesystem::path& path);

}  // namespace looptree::cli
