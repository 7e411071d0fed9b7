// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "looptree/common/pose.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// What a calibration file says of one camera.
struct CameraFile {
  Calibration calibration;
  int width = 0;   ///< of the images it is for, in pixels; 0 if the file does not say
  int height = 0;  ///< of the images it is for, in pixels; 0 if the file does not say
};

/// Reads the calibration of a camera from what calibration tools write:
///   OpenCV     YAML or XML of its storage: camera_matrix (also K, cameraMatrix, M1) and
///              distortion_coefficients (distCoeffs, D, D1); fisheye_model
///   ROS        camera_info as YAML, of the calibrators or of an echoed message: camera_matrix or
///   K,
///              distortion_model plumb_bob, rational_polynomial, equidistant or fisheye
///   Kalibr     camchain YAML; `camera` is cam0 (the default), cam1, ...; and EuRoC's sensor.yaml
///   ORB-SLAM   settings: Camera.fx (Camera1.fx), Camera.k1, ...
///   KITTI      calib.txt, of which `camera` is the row, P0 by default; or one line "fx fy cx cy"
/// Throws Error(not_found) without the file or without that camera in it, Error(corruption) for a
/// file that is none of these or breaks off, Error(unsupported) for lenses of other models.
LOOPTREE_VISION_EXPORT CameraFile read_calibration_file(const std::filesystem::path& path,
                                                        const std::string& camera = "");

}  // namespace looptree
