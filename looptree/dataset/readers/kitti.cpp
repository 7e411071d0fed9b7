// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// KITTI odometry: one folder per sequence, poses beside the folders or in them.
#include <memory>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/dataset/detail/readers.hpp"
#include "looptree/dataset/detail/sources.hpp"
#include "looptree/dataset/detail/text.hpp"

namespace looptree::detail {
namespace {

namespace fs = std::filesystem;

/// The grey pair before the colour pair. -1 if there is neither.
int camera_of(const fs::path& path, CameraSide side) {
  const int offset = side == CameraSide::right ? 1 : 0;
  for (const int pair : {0, 2}) {
    if (fs::is_directory(path / ("image_" + std::to_string(pair + offset)))) return pair + offset;
  }
  return -1;
}

/// As KITTI distributes them: dataset/sequences/NN and dataset/poses/NN.txt.
fs::path poses_of(const fs::path& path) {
  if (fs::exists(path / "poses.txt")) return path / "poses.txt";
  const fs::path folder = fs::absolute(path / "").parent_path().lexically_normal();
  return folder.parent_path().parent_path() / "poses" / (folder.filename().string() + ".txt");
}

/// The images of the camera on the right, and its distance; null if there is none, or it is not
/// calibrated.
std::unique_ptr<ImageSource> right_of(SequenceInfo& info, const fs::path& path, int camera) {
  const std::string right = std::to_string(camera + 1);
  if (!fs::is_directory(path / ("image_" + right))) return nullptr;
  const auto baseline =
      read_baseline(path / "calib.txt", "P" + std::to_string(camera), "P" + right);
  if (!baseline) return nullptr;
  std::vector<fs::path> files = image_files(path / ("image_" + right));
  if (files.size() != info.frames.size()) {
    throw Error(ErrorKind::corruption, "expected as many images in image_" + right +
                                           " as on the left, " +
                                           std::to_string(info.frames.size()) + ", found " +
                                           std::to_string(files.size()) + " in " + path.string());
  }
  info.baseline_m = baseline;
  return file_source(std::move(files));
}

}  // namespace

bool looks_like_kitti(const Path& path) {
  return camera_of(path, CameraSide::left) >= 0 || camera_of(path, CameraSide::right) >= 0;
}

SequencePtr open_kitti(const Path& path, const OpenOptions& options) {
  const int camera = camera_of(path, options.camera);
  if (camera < 0) {
    throw Error(ErrorKind::not_found, "expected a folder image_0 (left) or image_1 (right) in " +
                                          path.string() + ", found none for the camera asked for");
  }
  std::vector<fs::path> files = image_files(path / ("image_" + std::to_string(camera)));
  SequenceInfo info{.format = "kitti", .frames = frames_of(files)};
  if (fs::exists(path / "times.txt")) add_times(info, path / "times.txt");
  if (fs::exists(poses_of(path))) add_poses(info, poses_of(path));
  if (fs::exists(path / "calib.txt")) {
    info.calibration = read_calibration(path / "calib.txt", "P" + std::to_string(camera));
  }
  DepthSources beside;
  if (options.camera == CameraSide::left && fs::exists(path / "calib.txt")) {
    beside.right = right_of(info, path, camera);
  }
  return std::make_unique<Sequence>(std::move(info), file_source(std::move(files)),
                                    std::move(beside));
}

}  // namespace looptree::detail
