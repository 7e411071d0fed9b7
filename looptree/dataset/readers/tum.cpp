// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// TUM RGB-D: images and ground truth each with their own clock readings, joined by nearest time.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/dataset/detail/readers.hpp"
#include "looptree/dataset/detail/sources.hpp"
#include "looptree/dataset/detail/text.hpp"
#include "looptree/graph/trajectory.hpp"

namespace looptree::detail {
namespace {

/// Farther apart, an image and a pose do not belong together; the dataset's own tools use this too.
constexpr double kMaxGap_s = 0.02;
/// Of 1 / depth, in 1/metres: what a sensor of structured light keeps constant, its disparity, is
/// off by a fraction of a pixel.
constexpr double kDepthSigma = 0.005;

struct ListedImage {
  double time_s = 0;
  std::string file;
};

std::vector<ListedImage> read_list(const Path& path) {
  std::ifstream file(path);
  std::vector<ListedImage> images;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream fields(line);
    ListedImage image;
    if (!(fields >> image.time_s >> image.file)) {
      throw Error(ErrorKind::corruption, "expected a time and a file name in " + path.string() +
                                             ", line " + std::to_string(number) + ", found '" +
                                             line.substr(0, 40) + "'");
    }
    images.push_back(std::move(image));
  }
  return images;
}

/// 16-bit images, 5000 per metre.
class TumDepth final : public DepthSource {
 public:
  explicit TumDepth(std::vector<Path> files) : files_(std::move(files)) {}
  DepthImage load(std::size_t frame) override {
    return files_[frame].empty() ? DepthImage{} : read_depth_image(files_[frame].string(), 5000);
  }

 private:
  std::vector<Path> files_;  ///< per frame, empty where there is none
};

/// Joins every depth image with the image that was taken when it was, and no other: a depth image
/// belongs to one frame only.
std::unique_ptr<DepthSource> depth_of(SequenceInfo& info, const Path& path) {
  const std::vector<ListedImage> depth = read_list(path / "depth.txt");
  std::vector<double> frame_times;
  std::vector<double> depth_times;
  for (const SequenceFrame& frame : info.frames) frame_times.push_back(*frame.time_s);
  for (const ListedImage& image : depth) depth_times.push_back(image.time_s);
  std::vector<Path> files(info.frames.size());
  for (const TimePair& pair : associate(depth_times, frame_times, kMaxGap_s)) {
    files[pair.second] = path / depth[pair.first].file;
  }
  info.inverse_depth_sigma = kDepthSigma;
  return std::make_unique<TumDepth>(std::move(files));
}

std::vector<TimedPose> read_trajectory(const Path& path) {
  std::vector<TimedPose> poses = read_tum(path);
  std::sort(poses.begin(), poses.end(),
            [](const TimedPose& a, const TimedPose& b) { return a.time_s < b.time_s; });
  return poses;
}

std::optional<Pose> nearest(const std::vector<TimedPose>& poses, double time_s) {
  auto after = std::lower_bound(poses.begin(), poses.end(), time_s,
                                [](const TimedPose& p, double t) { return p.time_s < t; });
  if (after == poses.end() ||
      (after != poses.begin() && time_s - std::prev(after)->time_s < after->time_s - time_s)) {
    if (after == poses.begin()) return std::nullopt;
    --after;
  }
  if (std::abs(after->time_s - time_s) > kMaxGap_s) return std::nullopt;
  return after->pose;
}

}  // namespace

bool looks_like_tum(const Path& path) {
  return std::filesystem::exists(path / "rgb.txt");
}

SequencePtr open_tum(const Path& path, const OpenOptions&) {
  const std::vector<ListedImage> images = read_list(path / "rgb.txt");
  SequenceInfo info{.format = "tum"};
  std::vector<Path> files;
  for (const ListedImage& image : images) {
    info.frames.push_back({.name = image.file, .time_s = image.time_s});
    files.push_back(path / image.file);
  }
  if (std::filesystem::exists(path / "groundtruth.txt")) {
    const std::vector<TimedPose> poses = read_trajectory(path / "groundtruth.txt");
    for (SequenceFrame& frame : info.frames) frame.pose = nearest(poses, *frame.time_s);
  }
  if (std::filesystem::exists(path / "calib.txt")) {
    info.calibration = read_calibration(path / "calib.txt");
  }
  DepthSources beside;
  if (std::filesystem::exists(path / "depth.txt")) beside.depth = depth_of(info, path);
  const Path film = path / "rgb.mp4";
  if (!std::filesystem::exists(film)) {
    return std::make_unique<Sequence>(std::move(info), file_source(std::move(files)),
                                      std::move(beside));
  }
  Video video = video_source(film);
  if (video.frames != images.size()) {
    throw Error(ErrorKind::corruption, "expected one row of rgb.txt per frame of rgb.mp4, found " +
                                           std::to_string(images.size()) + " rows and " +
                                           std::to_string(video.frames) + " frames");
  }
  return std::make_unique<Sequence>(std::move(info), std::move(video.source), std::move(beside));
}

}  // namespace looptree::detail
