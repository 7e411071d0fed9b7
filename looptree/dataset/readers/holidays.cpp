// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// INRIA Holidays: NNNNMM.jpg, where NNNN is the scene and MM counts its images, 00 the query.
#include <algorithm>
#include <string>
#include <utility>

#include "looptree/dataset/detail/readers.hpp"
#include "looptree/dataset/detail/sources.hpp"
#include "looptree/dataset/detail/text.hpp"

namespace looptree::detail {
namespace {

bool is_named_so(const Path& file) {
  const std::string stem = file.stem().string();
  const bool digits = stem.size() == 6 && std::all_of(stem.begin(), stem.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
  return digits && stem[0] == '1' && file.extension() == ".jpg";
}

std::vector<Path> files_of(const Path& path) {
  // As distributed, the images lie in a folder jpg/.
  return image_files(std::filesystem::is_directory(path / "jpg") ? path / "jpg" : path);
}

}  // namespace

bool looks_like_holidays(const Path& path) {
  if (!std::filesystem::is_directory(path)) return false;
  const std::vector<Path> files = files_of(path);
  return !files.empty() && std::all_of(files.begin(), files.end(), is_named_so);
}

SequencePtr open_holidays(const Path& path, const OpenOptions&) {
  std::vector<Path> files = files_of(path);
  std::erase_if(files, [](const Path& file) { return !number_in(file); });
  SequenceInfo info{.format = "holidays", .frames = frames_of(files), .is_route = false};
  for (std::size_t i = 0; i < files.size(); ++i) {
    info.frames[i].label = static_cast<std::uint32_t>(*number_in(files[i]) / 100);
  }
  return std::make_unique<Sequence>(std::move(info), file_source(std::move(files)));
}

}  // namespace looptree::detail
