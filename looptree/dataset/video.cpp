// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// A video file with poses, times and calibration beside it.
#include <algorithm>
#include <array>
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

Path video_at(const Path& path) {
  if (!std::filesystem::is_directory(path)) return path;
  const std::vector<Path> videos = videos_in(path);
  if (videos.size() == 1) return videos.front();
  throw Error(ErrorKind::not_found, "expected one video in " + path.string() + ", found " +
                                        std::to_string(videos.size()) + "; name the file");
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
  return std::make_unique<Sequence>(std::move(info), std::move(video.source));
}

}  // namespace looptree::detail
