// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Files as the calibration tools write them, and OpenCV's own undistortion as the oracle.
#include "looptree/dataset/calibration_file.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>

#include "looptree/common/camera.hpp"

#include "tests/dataset/image_folder.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::ImageFolder;

constexpr const char* kKalibr = R"(cam0:
  cam_overlaps: [1]
  camera_model: pinhole
  distortion_coeffs: [-0.2834, 0.0739, 0.00019, 1.7e-05]
  distortion_model: radtan
  intrinsics: [458.6, 457.2, 367.2, 248.3]
  resolution: [752, 480]
  rostopic: /cam0/image_raw
cam1:
  T_cn_cnm1:
  - [0.99, 0.0, 0.0, -0.11]
  - [0.0, 1.0, 0.0, 0.0]
  - [0.0, 0.0, 1.0, 0.0]
  - [0.0, 0.0, 0.0, 1.0]
  camera_model: pinhole
  distortion_coeffs: [0.0101, -0.0103, 0.0048, -0.0014]
  distortion_model: equidistant
  intrinsics: [380.8, 380.9, 510.3, 514.3]
  resolution: [1024, 1024]
)";

constexpr const char* kRos = R"(image_width: 640
image_height: 480
camera_name: head   # as the driver calls it
camera_matrix:
  rows: 3
  cols: 3
  data: [500.5, 0., 320.25,
         0., 501.5, 240.75,
         0., 0., 1.]
distortion_model: plumb_bob
distortion_coefficients: {rows: 1}
distortion_coefficients:
  rows: 1
  cols: 5
  data: [-0.1, 0.02, 0.001, -0.002, 0.0]
projection_matrix:
  rows: 3
  cols: 4
  data: [480, 0, 320, 0, 0, 480, 240, 0, 0, 0, 1, 0]
)";

constexpr const char* kOrbSlam = R"(%YAML:1.0
File.version: "1.0"
Camera.type: "KannalaBrandt8"
Camera1.fx: 190.97
Camera1.fy: 190.97
Camera1.cx: 254.93
Camera1.cy: 256.89
Camera1.k1: 0.0034
Camera1.k2: 0.0007
Camera1.k3: -0.0020
Camera1.k4: 0.0002
Camera.width: 512
Camera.height: 512
)";

CameraFile read(const ImageFolder& folder, const std::string& name, const std::string& text,
                const std::string& camera = "") {
  folder.text(name, text);
  return read_calibration_file(folder / name, camera);
}

TEST(CalibrationFile, ReadsKalibr) {
  const ImageFolder folder;
  const CameraFile zero = read(folder, "camchain.yaml", kKalibr);
  EXPECT_EQ(zero.calibration, (Calibration{458.6,
                                           457.2,
                                           367.2,
                                           248.3,
                                           LensModel::brown_conrady,
                                           {-0.2834, 0.0739, 0.00019, 1.7e-05}}));
  EXPECT_EQ(zero.width, 752);
  EXPECT_EQ(zero.height, 480);
  const CameraFile one = read(folder, "camchain.yaml", kKalibr, "cam1");
  EXPECT_EQ(one.calibration.lens, LensModel::fisheye);
  EXPECT_EQ(one.calibration.distortion[3], -0.0014);
  expect_error(ErrorKind::not_found, "camera cam7",
               [&] { read(folder, "camchain.yaml", kKalibr, "cam7"); });
  std::string omni = kKalibr;
  omni.replace(omni.find("pinhole"), 7, "omni");
  expect_error(ErrorKind::unsupported, "found omni", [&] { read(folder, "o.yaml", omni); });
}

TEST(CalibrationFile, ReadsRosAndOrbSlamAndKitti) {
  const ImageFolder folder;
  const CameraFile ros = read(folder, "camera_info.yaml", kRos);
  EXPECT_EQ(
      ros.calibration,
      (Calibration{
          500.5, 501.5, 320.25, 240.75, LensModel::brown_conrady, {-0.1, 0.02, 0.001, -0.002, 0}}));
  EXPECT_EQ(ros.width, 640);
  const CameraFile echoed =
      read(folder, "echo.txt",
           "header:\n  seq: 1\nheight: 480\nwidth: 640\ndistortion_model: \"equidistant\"\n"
           "D: [0.1, 0.2, 0.3, 0.4]\nK: [500.0, 0.0, 320.0, 0.0, 501.0, 240.0, 0.0, 0.0, 1.0]\n");
  EXPECT_EQ(echoed.calibration,
            (Calibration{500, 501, 320, 240, LensModel::fisheye, {0.1, 0.2, 0.3, 0.4}}));
  const CameraFile slam = read(folder, "slam.yaml", kOrbSlam);
  EXPECT_EQ(
      slam.calibration,
      (Calibration{
          190.97, 190.97, 254.93, 256.89, LensModel::fisheye, {0.0034, 0.0007, -0.002, 0.0002}}));
  const CameraFile kitti = read(folder, "calib.txt", "P0: 700 0 600 0 0 701 180 0 0 0 1 0\n");
  EXPECT_EQ(kitti.calibration, (Calibration{700, 701, 600, 180}));
  EXPECT_EQ(read(folder, "four.txt", "500 501 320 240\n").calibration,
            (Calibration{500, 501, 320, 240}));
}

TEST(CalibrationFile, ReadsWhatOpenCvWrites) {
  const ImageFolder folder;
  const cv::Mat matrix = (cv::Mat_<double>(3, 3) << 640, 0, 319.5, 0, 641, 239.5, 0, 0, 1);
  const cv::Mat bends = (cv::Mat_<double>(5, 1) << -0.3, 0.11, 0.0005, -0.0007, -0.02);
  for (const char* name : {"camera.yml", "camera.xml"}) {
    cv::FileStorage file((folder / name).string(), cv::FileStorage::WRITE);
    file << "calibration_time"
         << "today"
         << "image_width" << 640 << "image_height" << 480;
    file << "camera_matrix" << matrix << "distortion_coefficients" << bends;
    file.release();
    const CameraFile camera = read_calibration_file(folder / name);
    EXPECT_EQ(camera.calibration, (Calibration{640,
                                               641,
                                               319.5,
                                               239.5,
                                               LensModel::brown_conrady,
                                               {-0.3, 0.11, 0.0005, -0.0007, -0.02}}))
        << name;
    EXPECT_EQ(camera.height, 480) << name;
  }
}

TEST(CalibrationFile, RefusesWhatIsNone) {
  const ImageFolder folder;
  expect_error(ErrorKind::not_found, "none", [&] { read_calibration_file(folder / "absent"); });
  expect_error(ErrorKind::corruption, "none of these", [&] { read(folder, "a", "a cat\n"); });
  expect_error(ErrorKind::corruption, "none of these", [&] { read(folder, "a", ""); });
  expect_error(ErrorKind::corruption, "found 0",
               [&] { read(folder, "a", "K: [0, 0, 1, 0, 1, 1, 0, 0, 1]\n"); });
  expect_error(ErrorKind::corruption, "found nan",
               [&] { read(folder, "a", "K: [nan, 0, 1, 0, 1, 1, 0, 0, 1]\n"); });
  expect_error(ErrorKind::corruption, "9 numbers", [&] { read(folder, "a", "K: [1, 2]\n"); });
  expect_error(ErrorKind::unsupported, "found 9", [&] {
    read(folder, "a", "K: [1, 0, 1, 0, 1, 1, 0, 0, 1]\nD: [1, 2, 3, 4, 5, 6, 7, 8, 9]\n");
  });
  expect_error(ErrorKind::unsupported, "found thin", [&] {
    read(folder, "a", "K: [1, 0, 1, 0, 1, 1, 0, 0, 1]\nD: [1, 2]\ndistortion_model: thin\n");
  });
  expect_error(ErrorKind::corruption, "a megabyte",
               [&] { read(folder, "a", std::string(3U << 20U, 'x')); });
}

TEST(CalibrationFile, SurvivesDamage) {
  const ImageFolder folder;
  for (const std::string text : {kKalibr, kRos, kOrbSlam}) {
    for (std::size_t i = 0; i < text.size(); i += 3) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 7)));
      for (const std::string& damaged : {text.substr(0, i), flipped}) {
        try {
          check(read(folder, "damaged", damaged).calibration);
        } catch (const Error&) {
        }
      }
    }
  }
}

TEST(Undistort, IsOpenCvs) {
  const Calibration brown{
      458.6, 457.2, 367.2, 248.3, LensModel::brown_conrady, {-0.2834, 0.0739, 0.00019, 1.7e-05}};
  const Calibration fisheye{
      380.8, 380.9, 510.3, 514.3, LensModel::fisheye, {0.0101, -0.0103, 0.0048, -0.0014}};
  for (const Calibration& camera : {brown, fisheye}) {
    const cv::Matx33d k(camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1);
    const cv::Vec4d d(camera.distortion.data());
    std::vector<cv::Point2d> pixels;
    for (double x = 40; x < 700; x += 55) {
      for (double y = 30; y < 470; y += 40) {
        // What a fisheye sees far off its axis goes to infinity in OpenCV, and stops in ours.
        if (std::hypot(x - camera.cx, y - camera.cy) < 1.3 * camera.fx) pixels.emplace_back(x, y);
      }
    }
    std::vector<cv::Point2d> straight;
    const cv::TermCriteria until(cv::TermCriteria::COUNT | cv::TermCriteria::EPS, 200, 1e-12);
    if (camera.lens == LensModel::fisheye) {
      cv::fisheye::undistortPoints(pixels, straight, k, d, cv::noArray(), k);
    } else {
      cv::undistortPoints(pixels, straight, k, d, cv::noArray(), k, until);
    }
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const auto [x, y] = undistort(camera, {pixels[i].x, pixels[i].y});
      EXPECT_NEAR(x, straight[i].x, 1e-3) << pixels[i];
      EXPECT_NEAR(y, straight[i].y, 1e-3) << pixels[i];
    }
  }
}

}  // namespace
}  // namespace looptree
