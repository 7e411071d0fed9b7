// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "looptree/dataset/sequence.hpp"
#include "looptree/graph/pose_graph.hpp"

#include "cli/optimize/odometry.hpp"

namespace looptree::cli {

/// A run of `looptree detect` with its odometry, as a part of a pose graph.
struct RunSession {
  std::filesystem::path run;
  SequenceInfo info;
  Odometry odometry;
  bool is_made_up = false;           ///< the odometry is the truth, corrupted...
  DriftOptions drift{};              ///< ...like this
  std::optional<std::string> map{};  ///< the map it was added to, if any
  /// Of every frame its id in the map; empty without one.
  std::vector<std::optional<std::uint64_t>> map_ids{};
  std::size_t first_vertex = 0;  ///< in the graph
  /// Of every frame its vertex, where odometry knows it.
  std::vector<std::optional<std::size_t>> vertices{};
};

/// Closures of one camera have no length. Their cameras are taken to be at one place, so many
/// metres apart along the direction that is known, and across it; sigmas.
struct UnknownLength {
  double along_m = 2;
  double across_m = 0.5;
};

/// Reads a run. Without odometry arguments those of the run itself are taken. Throws
/// Error(invalid_argument) if there are none either, and what readers throw.
RunSession read_session(const std::filesystem::path& run, const OdometryArguments& arguments);

/// Vertices and odometry of all sessions, closures within them and, where they were added to one
/// map, between them. The ids of vertices are the numbers of the frames; in later sessions they go
/// on from where the one before ends. Closures with frames that odometry does not know are left
/// out. Throws Error(invalid_argument) for several sessions that do not share a map.
PoseGraph make_graph(std::vector<RunSession>& sessions, const std::optional<OdometrySigmas>& sigmas,
                     const UnknownLength& unknown);

}  // namespace looptree::cli
