// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/optimize/optimize_sessions.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/graph/graph_files.hpp"

#include "cli/run/detect_folder.hpp"
#include "cli/run/run_sequence.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;

void bound_length(PoseEdge& edge, const UnknownLength& unknown) {
  const Pose& pose = edge.target_from_source;
  const Pose direction = inverse({pose.rotation, {0, 0, 0}});
  const auto d =
      compose(direction, Pose{{1, 0, 0, 0, 1, 0, 0, 0, 1}, pose.translation}).translation;
  const double along = 1 / (unknown.along_m * unknown.along_m);
  const double across = 1 / (unknown.across_m * unknown.across_m);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      edge.information(i, j) = (along - across) * d[i] * d[j] + (i == j ? across : 0);
    }
  }
  edge.target_from_source.translation = {0, 0, 0};
}

bool has_length(const PoseEdge& edge) {
  return edge.information(0, 0) > 0 || edge.information(1, 1) > 0 || edge.information(2, 2) > 0;
}

/// Ids count the frames that were inserted, from the first of the run on.
std::vector<std::optional<std::uint64_t>> read_map_ids(const fs::path& run, std::size_t frames,
                                                       std::uint64_t first) {
  std::ifstream file(run / "frames.csv");
  if (!file) {
    throw Error(ErrorKind::not_found,
                "expected frames.csv in " + run.string() + ", found no such file");
  }
  std::vector<std::optional<std::uint64_t>> ids(frames);
  std::string line;
  std::getline(file, line);
  for (std::size_t frame = 0; frame < frames && std::getline(file, line); ++frame) {
    const std::size_t comma = line.find(',');
    const std::size_t end = line.find(',', comma + 1);
    if (comma == std::string::npos || end == std::string::npos) {
      throw Error(ErrorKind::corruption, fmt::format("expected rows of frames in {}, found '{}'",
                                                     (run / "frames.csv").string(), line));
    }
    const std::string decision = line.substr(comma + 1, end - comma - 1);
    const bool inserted =
        decision != "unreadable" && decision != "no features" && decision != "not a keyframe";
    if (inserted) ids[frame] = first++;
  }
  return ids;
}

void read_map(RunSession& session, const nlohmann::json& config) {
  if (!config.contains("map")) return;
  try {
    session.map = config.at("map").at("path").get<std::string>();
    session.map_ids = read_map_ids(session.run, session.info.frames.size(),
                                   config.at("map").at("first_frame").get<std::uint64_t>());
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::corruption, "expected the map of a run in config.json of " +
                                           session.run.string() + ", found: " + error.what());
  }
}

void add_vertices(PoseGraph& graph, RunSession& session,
                  const std::optional<OdometrySigmas>& sigmas) {
  OdometrySigmas believed = sigmas.value_or(OdometrySigmas{});
  if (!sigmas && session.is_made_up) {
    // What corrupts the truth is known exactly.
    believed.translation = std::max(session.drift.translation, 1e-3);
    believed.rotation_deg = std::max(session.drift.rotation_deg, 1e-3);
  }
  std::uint64_t base = 0;
  if (!graph.vertices.empty()) base = graph.vertices.back().id + 1;
  std::vector<double> times;
  for (const std::size_t frame : session.odometry.frames) {
    times.push_back(time_of(session.info, frame));
  }
  session.first_vertex = add_session(graph, session.odometry.poses, times, believed);
  session.vertices.resize(session.info.frames.size());
  for (std::size_t i = 0; i < session.odometry.frames.size(); ++i) {
    const std::size_t frame = session.odometry.frames[i];
    session.vertices[frame] = session.first_vertex + i;
    graph.vertices[session.first_vertex + i].id = base + frame;
  }
}

/// The edges of a file of a run; `vertex` names the vertex of an id, or nothing.
template <typename Vertex>
void add_closures(PoseGraph& graph, const fs::path& file, const UnknownLength& unknown,
                  Vertex vertex) {
  const PoseGraph run = read_g2o(file);
  for (PoseEdge edge : run.closures) {
    const std::optional<std::size_t> target = vertex(run.vertices[edge.target].id);
    const std::optional<std::size_t> source = vertex(run.vertices[edge.source].id);
    if (!target || !source) continue;
    edge.target = *target;
    edge.source = *source;
    if (!has_length(edge)) bound_length(edge, unknown);
    graph.closures.push_back(edge);
  }
}

std::optional<std::size_t> vertex_of_map_id(const std::vector<RunSession>& sessions,
                                            std::uint64_t id) {
  for (const RunSession& session : sessions) {
    const auto found = std::find(session.map_ids.begin(), session.map_ids.end(), id);
    if (found == session.map_ids.end()) continue;
    return session.vertices[static_cast<std::size_t>(found - session.map_ids.begin())];
  }
  return std::nullopt;
}

}  // namespace

RunSession read_session(const fs::path& run, const OdometryArguments& arguments) {
  const nlohmann::json config = read_config(run);
  RunSession session{.run = run, .info = open_sequence_of(config)->info(), .odometry = {}};
  const OdometryArguments used = arguments.given() ? arguments : odometry_arguments(config);
  session.odometry = odometry_of(session.info, used);
  session.is_made_up = used.file.empty();
  session.drift = used.drift;
  read_map(session, config);
  return session;
}

PoseGraph make_graph(std::vector<RunSession>& sessions, const std::optional<OdometrySigmas>& sigmas,
                     const UnknownLength& unknown) {
  PoseGraph graph;
  for (RunSession& session : sessions) {
    require(sessions.size() == 1 || (session.map && session.map == sessions.front().map),
            ErrorKind::invalid_argument,
            "expected several runs that were added to one map (looptree detect --map), found one "
            "that was not");
    require(!session.odometry.poses.empty(), ErrorKind::invalid_argument,
            "expected odometry that knows frames of the run, found none of its times near theirs");
    add_vertices(graph, session, sigmas);
  }
  for (const RunSession& session : sessions) {
    add_closures(graph, session.run / "closures.g2o", unknown, [&](std::uint64_t id) {
      return id < session.vertices.size() ? session.vertices[id] : std::nullopt;
    });
    const fs::path between = session.run / "map_closures.g2o";
    if (sessions.size() == 1 || !fs::exists(between)) continue;
    add_closures(graph, between, unknown,
                 [&](std::uint64_t id) { return vertex_of_map_id(sessions, id); });
  }
  return graph;
}

}  // namespace looptree::cli
