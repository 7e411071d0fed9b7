// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "looptree/dataset/calibration_file.hpp"

namespace looptree::cli {

/// The camera as it is given on the command line.
struct CameraOptions {
  std::vector<double> intrinsics;  ///< fx fy cx cy; empty: not given
  std::vector<double> distortion;
  std::vector<double> fisheye;
  std::string file;
  std::string camera;  ///< of the file
};

/// Adds --calibration, --distortion, --fisheye, --calibration-file and --calibration-camera.
void add_camera_options(CLI::App& command, CameraOptions& options);

/// The camera that is asked for; nothing if none is. Throws Error(invalid_argument) for numbers
/// that are no camera or options that contradict each other, and as read_calibration_file() does.
std::optional<CameraFile> camera_of(const CameraOptions& options);

/// As config.json of a run keeps it: "calibration", and "lens" where it bends.
void write_camera(nlohmann::json& config, const Calibration& calibration);
/// Back; nothing if there is none.
std::optional<Calibration> read_camera(const nlohmann::json& config);

}  // namespace looptree::cli
