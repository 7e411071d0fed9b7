// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "looptree/common/pose.hpp"
#include "looptree/dataset/sequence.hpp"
#include "looptree/graph/trajectory.hpp"

namespace looptree::cli {

/// Where odometry comes from: a file, or the true poses corrupted.
struct OdometryArguments {
  std::string file;
  bool make_drift = false;
  DriftOptions drift{};

  bool given() const { return make_drift || !file.empty(); }
};

/// --drift and what belongs to it.
void add_drift_options(CLI::App& command, OdometryArguments& arguments);

/// The frames that odometry knows, and what it says of them.
struct Odometry {
  std::vector<std::size_t> frames;  ///< their numbers in the sequence, rising
  std::vector<Pose> poses;
};

/// Seconds, or the frame's number where the sequence has no times.
double time_of(const SequenceInfo& info, std::size_t frame);

/// The odometry of a sequence. Throws Error(invalid_argument) if neither a file nor drift is asked
/// for, or the sequence has no true poses to corrupt; and what readers of trajectories throw.
Odometry odometry_of(const SequenceInfo& info, const OdometryArguments& arguments);

/// As config.json keeps it, so that a run is optimised with the odometry it was detected with.
nlohmann::json describe(const OdometryArguments& arguments);
OdometryArguments odometry_arguments(const nlohmann::json& config);

}  // namespace looptree::cli
