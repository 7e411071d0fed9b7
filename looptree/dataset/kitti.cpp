// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// KITTI odometry: one folder per sequence, poses beside the folders or in them.
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
  return std::make_unique<Sequence>(std::move(info), file_source(std::move(files)));
}

}  // namespace looptree::detail
