// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// A video file with poses, times and calibration beside it.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/dataset/detail/readers.hpp"
#include "looptree/dataset/detail/sources.hpp"
#include "looptree/dataset/detail/text.hpp"

namespace looptree::detail {
namespace {

bool is_video(const Path& path) {
  constexpr std::array<std::string_view, 6> known{".mp4", ".avi", ".mkv", ".mov", ".webm", ".m4v"};
  const std::string extension = path.extension().string();
  return std::filesystem::is_regular_file(path) &&
         std::find(known.begin(), known.end(), extension) != known.end();
}

std::vector<Path> videos_in(const Path& folder) {
  std::vector<Path> videos;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (is_video(entry.path())) videos.push_back(entry.path());
  }
  return videos;
}

/// right.mp4 for left.mp4, A_right.mp4 for A_left.mp4, where it is there; else empty.
Path right_of(const Path& left) {
  std::string stem = left.stem().string();
  if (stem != "left" && !stem.ends_with("_left")) return {};
  stem.replace(stem.size() - 4, 4, "right");
  const Path right = left.parent_path() / (stem + left.extension().string());
  return std::filesystem::exists(right) ? right : Path();
}

Path video_at(const Path& path) {
  if (!std::filesystem::is_directory(path)) return path;
  const std::vector<Path> videos = videos_in(path);
  if (videos.size() == 1) return videos.front();
  if (videos.size() == 2) {
    for (const Path& video : videos) {
      if (!right_of(video).empty()) return video;
    }
  }
  throw Error(ErrorKind::not_found, "expected one video in " + path.string() + ", found " +
                                        std::to_string(videos.size()) + "; name the file");
}

/// The film of the camera on the right, and its distance; null if there is none, or it is not
/// calibrated.
std::unique_ptr<ImageSource> second_camera(SequenceInfo& info, const Path& file,
                                           const Path& calibration) {
  if (file.empty() || !std::filesystem::exists(calibration)) return nullptr;
  const auto baseline = read_baseline(calibration, "P0", "P1");
  if (!baseline) return nullptr;
  Video video = video_source(file);
  if (video.frames != info.frames.size()) {
    throw Error(ErrorKind::corruption,
                "expected " + std::to_string(info.frames.size()) + " frames in " + file.string() +
                    " as on the left, found " + std::to_string(video.frames));
  }
  info.baseline_m = baseline;
  return std::move(video.source);
}

}  // namespace

bool looks_like_video(const Path& path) {
  return is_video(path) || (std::filesystem::is_directory(path) && !videos_in(path).empty());
}

SequencePtr open_video(const Path& path, const OpenOptions&) {
  const Path file = video_at(path);
  Video video = video_source(file);
  SequenceInfo info{.format = "video"};
  for (std::size_t i = 0; i < video.frames; ++i) {
    info.frames.push_back({.name = "frame " + std::to_string(i)});
  }
  const std::string stem = file.stem().string();
  const std::size_t bar = stem.find('_');
  const std::string prefix = bar == std::string::npos ? "" : stem.substr(0, bar + 1);
  const bool prefixed = std::filesystem::exists(file.parent_path() / (prefix + "poses.txt")) ||
                        std::filesystem::exists(file.parent_path() / (prefix + "calib.txt"));
  add_what_lies_beside(info, file.parent_path(), prefixed ? prefix : "");
  const Path calibration = file.parent_path() / ((prefixed ? prefix : "") + "calib.txt");
  DepthSources beside{second_camera(info, right_of(file), calibration), nullptr};
  return std::make_unique<Sequence>(std::move(info), std::move(video.source), std::move(beside));
}

}  // namespace looptree::detail
