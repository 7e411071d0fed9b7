// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/run/detect_folder.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>
#include <fmt/ostream.h>

#include "looptree/common/error.hpp"
#include "looptree/common/write_error.hpp"
#include "looptree/graph/graph_files.hpp"

#include "cli/run/run_path.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFramesHeader =
    "frame,decision,match,score,threshold,consistent,correspondences,inliers,needed_inliers,"
    "coverage,verified,read_ms,extract_ms,histogram_ms,query_ms,temporal_ms,verify_ms,insert_ms,"
    "reason,name,time_s,match_name,match_session\n";
constexpr const char* kClosuresHeader =
    "query,match,score,inliers,correspondences,coverage,consistent,query_name,match_name,"
    "tx,ty,tz,qx,qy,qz,qw,sigma_m,sigma_deg\n";
/// A pose is match_from_query; empty fields where it is not known. With a sigma_m it is in metres,
/// without its translation is of length 1.
constexpr const char* kMapClosuresHeader =
    "query,map_frame,session,name,score,inliers,coverage,query_name,match_number,tx,ty,tz,qx,qy,qz,"
    "qw,sigma_m,sigma_deg\n";

std::ofstream create(const fs::path& path) {
  std::ofstream file(path);
  if (!file) throw write_error(path);
  return file;
}

std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '"');
  }
  return '"' + text + '"';
}

std::string time_of(const SequenceFrame& frame) {
  return frame.time_s ? fmt::format("{:.6f}", *frame.time_s) : "";
}

/// The pose of a closure, with length where that is known.
std::optional<Pose> pose_of(const Verification& verification) {
  if (verification.metric) return verification.metric->match_from_query.pose;
  if (const auto& pose = verification.match_from_query)
    return Pose{pose->rotation, pose->direction};
  return std::nullopt;
}

/// tx,ty,tz,qx,qy,qz,qw,sigma_m,sigma_deg
std::string pose_fields(const Verification& verification) {
  const auto pose = pose_of(verification);
  if (!pose) return ",,,,,,,,";
  const auto& t = pose->translation;
  const auto q = quaternion(pose->rotation);
  std::string text = fmt::format("{:.6f},{:.6f},{:.6f},{:.9f},{:.9f},{:.9f},{:.9f},", t[0], t[1],
                                 t[2], q[0], q[1], q[2], q[3]);
  if (const auto& metric = verification.metric) {
    return text + fmt::format("{:.6f},{:.6f}", metric->sigma_m(), metric->sigma_deg());
  }
  return text + ",";
}

/// The edge of a closure; without information where its pose is not known.
PoseEdge edge_of(std::size_t target, std::size_t source, const Closure& closure) {
  PoseEdge edge{target, source, {}, {}};
  if (closure.metric) {
    edge.target_from_source = closure.metric->match_from_query.pose;
    edge.information = closure.metric->match_from_query.information;
  } else if (const auto& pose = closure.match_from_query) {
    edge.target_from_source = {pose->rotation, pose->direction};
    edge.information = pose->information;
  }
  return edge;
}

bool says_something(const PoseEdge& edge) {
  return std::any_of(edge.information.values.begin(), edge.information.values.end(),
                     [](double value) { return value != 0; });
}

}  // namespace

void check_run_path(const std::string& path) {
  if (path.empty() || !fs::exists(fs::path(path) / "closures.csv")) return;
  throw Error(ErrorKind::invalid_argument,
              "expected a new folder for the run, found another run in " + path);
}

DetectFolder::DetectFolder(const std::string& path, const std::string& name, bool with_map)
    : path_(path.empty() ? new_run_path(name) : fs::path(path)) {
  check_run_path(path);
  std::error_code problem;
  fs::create_directories(path_, problem);
  if (problem) {
    throw Error(ErrorKind::io,
                "expected to make the folder " + path_.string() + ", found: " + problem.message());
  }
  if (path.empty()) link_latest(path_);
  frames_ = create(path_ / "frames.csv");
  closures_file_ = create(path_ / "closures.csv");
  frames_ << kFramesHeader << std::flush;
  closures_file_ << kClosuresHeader << std::flush;
  if (!with_map) return;
  map_closures_ = create(path_ / "map_closures.csv");
  map_closures_ << kMapClosuresHeader << std::flush;
}

void DetectFolder::write_config(const nlohmann::json& config) const {
  create(path_ / "config.json") << config.dump(2) << '\n';
}

void DetectFolder::add(const FrameFeatures& frame, const Detection& detection) {
  const Verification& verification = detection.verification;
  const StageTimes& times = detection.times;
  const auto& match = detection.match;
  fmt::print(frames_, "{},{},{},{:.6f},{:.6f},{},{},{},{},{:.3f},{},", frame.number,
             to_string(detection.decision), match ? std::to_string(match->number) : "",
             detection.score, detection.threshold, detection.consistent,
             verification.correspondences, verification.inliers.size(), detection.needed_inliers,
             verification.coverage, detection.verified);
  fmt::print(frames_, "{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{},", frame.read_ms,
             frame.extract_ms, times.histogram_ms, times.query_ms, times.temporal_ms,
             times.verify_ms, times.insert_ms, quoted(detection.explain()));
  fmt::print(frames_, "{},{},{},{}\n", quoted(frame.info.name), time_of(frame.info),
             match ? quoted(match->name) : "",
             match && match->earlier_session ? std::to_string(match->earlier_session->value) : "");
  if (!detection.is_closure()) return;
  if (match->earlier_session) {
    add_map_closure(frame, detection);
  } else {
    add_closure(frame, detection);
  }
}

void DetectFolder::add_closure(const FrameFeatures& frame, const Detection& detection) {
  const Verification& verification = detection.verification;
  const std::size_t match = detection.match->number;
  closures_.push_back({frame.number, match, detection.score, verification.inliers.size(),
                       verification.match_from_query, verification.metric});
  fmt::print(closures_file_, "{},{},{:.6f},{},{},{:.3f},{},{},{},{}\n", frame.number, match,
             detection.score, verification.inliers.size(), verification.correspondences,
             verification.coverage, detection.consistent, quoted(frame.info.name),
             quoted(detection.match->name), pose_fields(verification));
  closures_file_.flush();
}

void DetectFolder::add_map_closure(const FrameFeatures& frame, const Detection& detection) {
  const Verification& verification = detection.verification;
  const FrameIdentity& match = *detection.match;
  map_closures_found_.push_back({detection.frame.id->value, match.id->value, detection.score,
                                 verification.inliers.size(), verification.match_from_query,
                                 verification.metric});
  fmt::print(map_closures_, "{},{},{},{},{:.6f},{},{:.3f},{},{},{}\n", frame.number,
             match.id->value, match.earlier_session->value, quoted(match.name), detection.score,
             verification.inliers.size(), verification.coverage, quoted(frame.info.name),
             match.number, pose_fields(verification));
  map_closures_.flush();
}

void DetectFolder::add_skipped(const FrameFeatures& frame) {
  fmt::print(frames_, "{},{},,,,,,,,,,,,,,,,,{},{},{},,\n", frame.number,
             frame.is_another_size ? "another size" : "unreadable", quoted(frame.error->what()),
             quoted(frame.info.name), time_of(frame.info));
}

void DetectFolder::finish(const SequenceInfo& info) {
  frames_.flush();
  write_g2o(info);
  if (map_closures_.is_open()) write_map_g2o();
  write_tum(info);
  if (!frames_ || !closures_file_) {
    throw write_error(path_ / (frames_ ? "closures.csv" : "frames.csv"));
  }
}

void DetectFolder::write_g2o(const SequenceInfo& info) const {
  PoseGraph graph;
  for (std::size_t i = 0; i < info.frames.size(); ++i) {
    graph.vertices.push_back({i, 0, info.frames[i].pose.value_or(Pose{})});
  }
  for (const Closure& closure : closures_) {
    const PoseEdge edge = edge_of(closure.match, closure.query, closure);
    if (says_something(edge)) graph.closures.push_back(edge);
  }
  looptree::write_g2o(path_ / "closures.g2o", graph);
  if (!closures_.empty() && graph.closures.empty()) {
    std::ofstream(path_ / "closures.g2o", std::ios::app)
        << "# no edges: without the camera's calibration closures have no relative poses\n";
  }
}

void DetectFolder::write_map_g2o() const {
  // Vertices by their ids in the map; those of earlier sessions stand before those of this one.
  std::set<std::size_t> matches;
  std::set<std::size_t> queries;
  for (const Closure& closure : map_closures_found_) {
    matches.insert(closure.match);
    queries.insert(closure.query);
  }
  PoseGraph graph;
  std::map<std::size_t, std::size_t> vertex_of;
  const auto add = [&](std::size_t id, std::uint32_t session) {
    vertex_of[id] = graph.vertices.size();
    graph.vertices.push_back({id, session, {}});
  };
  for (const std::size_t id : matches) add(id, 0);
  for (const std::size_t id : queries) add(id, 1);
  for (const Closure& closure : map_closures_found_) {
    const PoseEdge edge = edge_of(vertex_of[closure.match], vertex_of[closure.query], closure);
    if (says_something(edge)) graph.closures.push_back(edge);
  }
  looptree::write_g2o(path_ / "map_closures.g2o", graph);
}

void DetectFolder::write_tum(const SequenceInfo& info) const {
  std::ofstream file = create(path_ / "closures_tum.txt");
  file << "# query_time match_time tx ty tz qx qy qz qw (match_from_query; of length 1 where the "
          "length is unknown)\n";
  for (const Closure& closure : closures_) {
    if (!closure.match_from_query && !closure.metric) continue;
    const auto time = [&](std::size_t frame) {
      return info.frames[frame].time_s.value_or(static_cast<double>(frame));
    };
    const Pose pose = edge_of(0, 0, closure).target_from_source;
    const auto& t = pose.translation;
    const auto q = quaternion(pose.rotation);
    fmt::print(file, "{:.6f} {:.6f} {:.6f} {:.6f} {:.6f} {:.9f} {:.9f} {:.9f} {:.9f}\n",
               time(closure.query), time(closure.match), t[0], t[1], t[2], q[0], q[1], q[2], q[3]);
  }
}

nlohmann::json read_config(const fs::path& run) {
  std::ifstream file(run / "config.json");
  if (!file) {
    throw Error(ErrorKind::not_found, "expected a run of \"looptree detect\" in " + run.string() +
                                          ", found no config.json");
  }
  try {
    return nlohmann::json::parse(file);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::corruption,
                "expected JSON in config.json of " + run.string() + ", found: " + error.what());
  }
}

}  // namespace looptree::cli
