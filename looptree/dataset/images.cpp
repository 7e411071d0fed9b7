// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Any folder of images.
#include <algorithm>
#include <utility>

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
  add_what_lies_beside(info, path);
  if (!mask_path.empty()) info.loops = read_mask(mask_path, files.size());
  return std::make_unique<Sequence>(std::move(info), file_source(std::move(files)));
}

}  // namespace looptree::detail
