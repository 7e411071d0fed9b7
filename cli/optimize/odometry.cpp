// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/optimize/odometry.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include <fmt/core.h>

#include "looptree/common/error.hpp"

namespace looptree::cli {
namespace {

Odometry odometry_by_time(const SequenceInfo& info, std::vector<TimedPose> trajectory) {
  std::sort(trajectory.begin(), trajectory.end(),
            [](const TimedPose& a, const TimedPose& b) { return a.time_s < b.time_s; });
  std::vector<double> frame_times;
  std::vector<double> times;
  for (std::size_t i = 0; i < info.frames.size(); ++i) frame_times.push_back(time_of(info, i));
  for (const TimedPose& timed : trajectory) times.push_back(timed.time_s);
  Odometry odometry;
  for (const TimePair& pair : associate(frame_times, times)) {
    odometry.frames.push_back(pair.first);
    odometry.poses.push_back(trajectory[pair.second].pose);
  }
  return odometry;
}

/// TUM's rows have 8 numbers, KITTI's 12.
Odometry read_odometry(const SequenceInfo& info, const std::string& file) {
  std::optional<Error> not_tum;
  try {
    return odometry_by_time(info, read_tum(file));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corruption) throw;
    not_tum = error;
  }
  Odometry odometry;
  try {
    odometry.poses = read_kitti(file);
  } catch (const Error&) {
    throw *not_tum;
  }
  if (odometry.poses.size() != info.frames.size()) {
    throw Error(ErrorKind::invalid_argument,
                fmt::format("expected {} poses in {}, one per frame, found {}; use TUM's format, "
                            "with times, for a part of them",
                            info.frames.size(), file, odometry.poses.size()));
  }
  odometry.frames.resize(odometry.poses.size());
  std::iota(odometry.frames.begin(), odometry.frames.end(), std::size_t{0});
  return odometry;
}

Odometry true_poses(const SequenceInfo& info) {
  Odometry known;
  for (std::size_t i = 0; i < info.frames.size(); ++i) {
    if (!info.frames[i].pose) continue;
    known.frames.push_back(i);
    known.poses.push_back(*info.frames[i].pose);
  }
  return known;
}

}  // namespace

double time_of(const SequenceInfo& info, std::size_t frame) {
  return info.frames[frame].time_s.value_or(static_cast<double>(frame));
}

Odometry odometry_of(const SequenceInfo& info, const OdometryArguments& arguments) {
  if (!arguments.file.empty()) return read_odometry(info, arguments.file);
  require(arguments.make_drift, ErrorKind::invalid_argument,
          "expected --odometry FILE, a trajectory as TUM's or KITTI's, or --drift to corrupt the "
          "true poses of the sequence, found neither");
  Odometry odometry = true_poses(info);
  require(!odometry.poses.empty(), ErrorKind::invalid_argument,
          "expected true poses in the sequence to corrupt, found none: give --odometry FILE");
  odometry.poses = drift(odometry.poses, arguments.drift);
  return odometry;
}

void add_drift_options(CLI::App& command, OdometryArguments& arguments) {
  command.add_flag("--drift", arguments.make_drift,
                   "Instead of --odometry: the true poses of the sequence, corrupted");
  command
      .add_option("--drift-translation", arguments.drift.translation,
                  "Its sigma in metres per square root of a metre, each axis")
      ->capture_default_str();
  command
      .add_option("--drift-rotation", arguments.drift.rotation_deg,
                  "Its sigma in degrees per square root of a metre, each axis")
      ->capture_default_str();
  command.add_option("--drift-scale", arguments.drift.scale, "All steps too long by this part")
      ->capture_default_str();
  command.add_option("--seed", arguments.drift.seed, "Of the drift")->capture_default_str();
}

nlohmann::json describe(const OdometryArguments& arguments) {
  if (!arguments.file.empty()) {
    return {{"file", std::filesystem::absolute(arguments.file).string()}};
  }
  const DriftOptions& drift = arguments.drift;
  return {{"drift",
           {{"translation", drift.translation},
            {"rotation_deg", drift.rotation_deg},
            {"scale", drift.scale},
            {"seed", drift.seed}}}};
}

OdometryArguments odometry_arguments(const nlohmann::json& config) {
  OdometryArguments arguments;
  if (!config.contains("odometry")) return arguments;
  try {
    const auto& odometry = config.at("odometry");
    if (odometry.contains("file")) {
      arguments.file = odometry.at("file");
    } else {
      const auto& drift = odometry.at("drift");
      arguments.make_drift = true;
      arguments.drift = {drift.at("translation"), drift.at("rotation_deg"), drift.at("scale"),
                         drift.at("seed")};
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::corruption, "expected the odometry of a run in config.json, found: " +
                                           std::string(error.what()));
  }
  return arguments;
}

}  // namespace looptree::cli
