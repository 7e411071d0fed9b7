// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Any folder of images, a list of them, or a pattern of their names.
#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fnmatch.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/detail/readers.hpp"
#include "looptree/dataset/detail/sources.hpp"
#include "looptree/dataset/detail/text.hpp"

namespace looptree::detail {
namespace {

/// The mask of RTAB-Map's samples: row i, column j lit where i closes a loop with j.
LoopMask read_mask(const Path& path, std::size_t frames) {
  const Image image = read_image(path.string());
  if (image.width != image.height || static_cast<std::size_t>(image.width) != frames) {
    throw Error(ErrorKind::corruption, "expected a loop mask of " + std::to_string(frames) + "x" +
                                           std::to_string(frames) + ", one row per image, found " +
                                           std::to_string(image.width) + "x" +
                                           std::to_string(image.height) + " in " + path.string());
  }
  LoopMask mask{frames, image.pixels};
  for (std::uint8_t& cell : mask.same_place) cell = cell != 0 ? 1 : 0;
  return mask;
}

}  // namespace

bool looks_like_images(const Path& path) {
  return std::filesystem::is_directory(path) && !image_files(path).empty();
}

SequencePtr open_images(const Path& path, const OpenOptions&) {
  std::vector<Path> files = image_files(path);
  const auto mask = std::find_if(files.begin(), files.end(), [](const Path& file) {
    return file.stem().string().ends_with("_GT");
  });
  Path mask_path;
  if (mask != files.end()) {
    mask_path = *mask;
    files.erase(mask);
  }
  SequenceInfo info{.format = "images", .frames = frames_of(files)};
  info.skipped = files_left_out(path);
  add_what_lies_beside(info, path);
  if (!mask_path.empty()) info.loops = read_mask(mask_path, files.size());
  return std::make_unique<Sequence>(std::move(info), file_source(std::move(files)));
}

namespace {

bool has_wildcards(const std::string& name) {
  return name.find_first_of("*?[") != std::string::npos;
}

SequencePtr sequence_of(const char* format, std::vector<Path> files) {
  SequenceInfo info{.format = format, .frames = frames_of(files)};
  return std::make_unique<Sequence>(std::move(info), file_source(std::move(files)));
}

}  // namespace

bool looks_like_glob(const Path& path) {
  return has_wildcards(path.filename().string()) && !std::filesystem::exists(path);
}

SequencePtr open_glob(const Path& path, const OpenOptions&) {
  const Path folder = path.has_parent_path() ? path.parent_path() : Path(".");
  std::vector<Path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (fnmatch(path.filename().c_str(), name.c_str(), FNM_PERIOD) == 0) {
      files.push_back(entry.path());
    }
  }
  if (files.empty()) {
    throw Error(ErrorKind::not_found,
                "expected images of names like " + path.string() + ", found none");
  }
  sort_by_numbers(files);
  return sequence_of("glob", std::move(files));
}

bool looks_like_list(const Path& path) {
  const std::string extension = path.extension().string();
  return (extension == ".txt" || extension == ".lst") && std::filesystem::is_regular_file(path);
}

SequencePtr open_list(const Path& path, const OpenOptions&) {
  std::ifstream list(path);
  std::vector<Path> files;
  for (std::string line; std::getline(list, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    if (!is_image_name(line)) {
      throw Error(ErrorKind::corruption, "expected the path of an image per line of " +
                                             path.string() + ", found '" + line.substr(0, 60) +
                                             "'");
    }
    files.push_back(path.parent_path() / line);
  }
  return sequence_of("list", std::move(files));
}

}  // namespace looptree::detail
