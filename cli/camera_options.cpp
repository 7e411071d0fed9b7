// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/camera_options.hpp"

#include <algorithm>

#include "looptree/common/camera.hpp"
#include "looptree/common/error.hpp"

namespace looptree::cli {

void add_camera_options(CLI::App& command, CameraOptions& options) {
  CLI::Option* intrinsics =
      command
          .add_option("--calibration", options.intrinsics, "fx fy cx cy of the camera, in pixels")
          ->expected(4);
  CLI::Option* distortion =
      command
          .add_option("--distortion", options.distortion,
                      "With --calibration: k1,k2,p1,p2[,k3[,k4,k5,k6]] as OpenCV orders them")
          ->delimiter(',')
          ->expected(1, 8)
          ->allow_extra_args(false)
          ->needs(intrinsics);
  command
      .add_option("--fisheye", options.fisheye, "With --calibration: k1,k2,k3,k4 of a fisheye lens")
      ->delimiter(',')
      ->expected(1, 8)
      ->allow_extra_args(false)
      ->needs(intrinsics)
      ->excludes(distortion);
  CLI::Option* file =
      command
          .add_option("--calibration-file", options.file,
                      "The camera from a file of OpenCV, ROS (camera_info), Kalibr or ORB-SLAM")
          ->excludes(intrinsics);
  command
      .add_option("--calibration-camera", options.camera,
                  "Which one of the file: cam0 (default), cam1, ... of Kalibr's")
      ->needs(file);
}

std::optional<CameraFile> camera_of(const CameraOptions& options) {
  if (!options.file.empty()) return read_calibration_file(options.file, options.camera);
  if (options.intrinsics.empty()) return std::nullopt;
  const auto& f = options.intrinsics;
  Calibration camera{f[0], f[1], f[2], f[3]};
  const bool fisheye = !options.fisheye.empty();
  const std::vector<double>& bends = fisheye ? options.fisheye : options.distortion;
  const std::size_t count = bends.size();
  if (fisheye ? count != 4 : (count != 0 && count != 4 && count != 5 && count != 8)) {
    throw Error(
        ErrorKind::invalid_argument,
        std::string("expected ") +
            (fisheye ? "4 numbers after --fisheye" : "4, 5 or 8 numbers after --distortion") +
            ", with commas between them, found " + std::to_string(count));
  }
  if (count > 0) camera.lens = fisheye ? LensModel::fisheye : LensModel::brown_conrady;
  std::copy(bends.begin(), bends.end(), camera.distortion.begin());
  try {
    check(camera);
  } catch (const Error& error) {
    throw Error(ErrorKind::invalid_argument, std::string("--calibration: ") + error.what());
  }
  return CameraFile{.calibration = camera};
}

void write_camera(nlohmann::json& config, const Calibration& calibration) {
  config["calibration"] = {calibration.fx, calibration.fy, calibration.cx, calibration.cy};
  if (calibration.lens == LensModel::pinhole) return;
  config["lens"] = {{"model", to_string(calibration.lens)}, {"distortion", calibration.distortion}};
}

std::optional<Calibration> read_camera(const nlohmann::json& config) {
  if (!config.contains("calibration")) return std::nullopt;
  const auto& c = config.at("calibration");
  Calibration camera{c.at(0), c.at(1), c.at(2), c.at(3)};
  if (config.contains("lens")) {
    camera.lens = parse_lens_model(std::string(config.at("lens").at("model")));
    config.at("lens").at("distortion").get_to(camera.distortion);
  }
  check(camera);
  return camera;
}

}  // namespace looptree::cli
