// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/view/run_data.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"

#include "cli/run/detect_folder.hpp"
#include "cli/run/run_sequence.hpp"
#include "cli/run/truth.hpp"
#include "cli/view/csv.hpp"

namespace looptree::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* kNumbers[] = {"score",   "threshold", "consistent", "correspondences",
                                    "inliers", "coverage",  "verified",   "needed_inliers"};
constexpr const char* kStages[] = {"read_ms",     "extract_ms", "histogram_ms", "query_ms",
                                   "temporal_ms", "verify_ms",  "insert_ms"};

Json column(const Table& table, const char* name) {
  Json values = Json::array();
  for (std::size_t row = 0; row < table.size(); ++row) values.push_back(table.number(row, name));
  return values;
}

Json texts(const Table& table, const char* name) {
  Json values = Json::array();
  for (std::size_t row = 0; row < table.size(); ++row) values.push_back(table.text(row, name));
  return values;
}

/// The frame matched, -1 for none. One of an earlier session has a number in another sequence.
Json matches(const Table& table) {
  Json values = Json::array();
  for (std::size_t row = 0; row < table.size(); ++row) {
    const bool here = !table.text(row, "match").empty() && table.text(row, "match_session").empty();
    values.push_back(here ? static_cast<double>(table.count(row, "match")) : -1.0);
  }
  return values;
}

Json frames_json(const Table& table) {
  Json frames = {{"decision", texts(table, "decision")},
                 {"number", column(table, "frame")},
                 {"match", matches(table)},
                 {"reason", texts(table, "reason")}};
  if (table.has("name")) frames["name"] = texts(table, "name");
  if (table.has("match_session")) {
    frames["match_session"] = texts(table, "match_session");
    frames["match_name"] = texts(table, "match_name");
  }
  for (const char* name : kNumbers) frames[name] = column(table, name);
  Json stages = Json::object();
  for (const char* name : kStages) stages[name] = column(table, name);
  frames["stages"] = stages;
  return frames;
}

/// By frame: the match, the relative pose or null, and the inliers as they stand in the file.
Json evidence_json(const std::filesystem::path& path) {
  Json evidence = Json::object();
  if (!std::filesystem::exists(path)) return evidence;
  const Table table = Table::read(path);
  for (std::size_t row = 0; row < table.size(); ++row) {
    Json pose = nullptr;
    if (!table.text(row, "qw").empty()) {
      pose = Json::array();
      for (const char* name : {"qx", "qy", "qz", "qw", "dx", "dy", "dz"}) {
        pose.push_back(table.number(row, name));
      }
    }
    evidence[table.text(row, "query")] = {table.count(row, "match"), pose,
                                          table.text(row, "points")};
  }
  return evidence;
}

Json similar_json(const std::filesystem::path& path) {
  Json similar = Json::object();
  if (!std::filesystem::exists(path)) return similar;
  const Table table = Table::read(path);
  for (std::size_t row = 0; row < table.size(); ++row) {
    similar[table.text(row, "frame")] = table.text(row, "others");
  }
  return similar;
}

std::vector<Closure> read_closures_of(const std::filesystem::path& folder) {
  const Table table = Table::read(folder / "closures.csv");
  std::vector<Closure> closures;
  for (std::size_t row = 0; row < table.size(); ++row) {
    closures.push_back({table.count(row, "query"), table.count(row, "match"),
                        table.number(row, "score"), table.count(row, "inliers")});
  }
  return closures;
}

bool have_poses(const SequenceInfo& info) {
  return !info.frames.empty() &&
         std::all_of(info.frames.begin(), info.frames.end(),
                     [](const SequenceFrame& frame) { return frame.pose.has_value(); });
}

/// Millimetres are enough for a picture of a route.
double rounded(double metres) {
  return std::round(metres * 1000) / 1000;
}

Json route_json(const SequenceInfo& info) {
  if (!have_poses(info)) return nullptr;
  Json route = Json::array();
  for (const SequenceFrame& frame : info.frames) {
    const auto& [x, y, z] = frame.pose->translation;
    route.push_back({rounded(x), rounded(y), rounded(z)});
  }
  return route;
}

/// The earlier frame a revisit should have been closed with: the nearest, or the first in the mask.
std::optional<std::size_t> place_of(const SequenceInfo& info, std::size_t frame,
                                    std::size_t exclude_recent) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t j = 0; j + (info.loops ? 0 : exclude_recent) < frame; ++j) {
    if (info.loops) {
      if ((*info.loops)(frame, j)) return j;
      continue;
    }
    const double metres = distance(*info.frames[frame].pose, *info.frames[j].pose);
    if (best && metres >= least) continue;
    best = j;
    least = metres;
  }
  return best;
}

/// The truth of the sequence about the run, or null: which closures are right, which frames revisit
/// a place, and where that was for those that were missed.
Json truth_json(const SequenceInfo& info, const std::vector<Closure>& closures,
                std::size_t exclude_recent) {
  const auto truth = judge(info, closures, {.exclude_recent = exclude_recent});
  if (!truth) return nullptr;
  std::vector<bool> found(info.frames.size(), false);
  Json right = Json::array();
  for (std::size_t i = 0; i < closures.size(); ++i) {
    if (truth->is_right[i]) found[closures[i].query] = true;
    if (truth->is_right[i]) right.push_back(closures[i].query);
  }
  Json missed = Json::array();
  for (std::size_t i = 0; i < info.frames.size(); ++i) {
    if (!truth->is_revisit[i] || found[i]) continue;
    if (const auto place = place_of(info, i, exclude_recent)) missed.push_back({i, *place});
  }
  return {{"closures", truth->closures},
          {"right", right},
          {"right_count", truth->right},
          {"revisits", truth->revisits},
          {"found", truth->found},
          {"missed", missed},
          {"rule",
           info.loops ? "the loop mask of the sequence"
                      : "right: within 15 m and 60 degrees; a revisit: within 5 m and 30 degrees"}};
}

void check_numbers(const std::vector<Closure>& closures, std::size_t frames) {
  for (const Closure& closure : closures) {
    if (std::max(closure.query, closure.match) < frames) continue;
    throw Error(ErrorKind::corruption,
                "expected closures of frames below " + std::to_string(frames) + ", found " +
                    std::to_string(closure.query) + "," + std::to_string(closure.match));
  }
}

std::string name_of(const std::filesystem::path& folder) {
  const auto name = std::filesystem::absolute(folder).lexically_normal();
  return (name.has_filename() ? name : name.parent_path()).filename().string();
}

}  // namespace

RunData read_run_data(const std::filesystem::path& folder) {
  RunData run;
  const Json config = read_config(folder);
  const Table frames = Table::read(folder / "frames.csv");
  const std::vector<Closure> closures = read_closures_of(folder);
  for (const Closure& closure : closures) {
    run.pair_frames.insert(closure.query);
    run.pair_frames.insert(closure.match);
  }
  try {
    run.sequence = open_sequence_of(config);
  } catch (const Error& error) {
    run.missing = error.what();
  }
  run.json = {{"kind", "run"},
              {"name", name_of(folder)},
              {"config", config},
              {"frames", frames_json(frames)},
              {"evidence", evidence_json(folder / "evidence.csv")},
              {"similar", similar_json(folder / "similar.csv")},
              {"route", nullptr},
              {"truth", nullptr}};
  if (!run.sequence) return run;
  const SequenceInfo& info = run.sequence->info();
  check_numbers(closures, info.frames.size());
  const std::size_t exclude_recent =
      config.value(Json::json_pointer("/detector/exclude_recent"), std::size_t{300});
  run.json["route"] = route_json(info);
  run.json["truth"] = truth_json(info, closures, exclude_recent);
  return run;
}

}  // namespace looptree::cli
