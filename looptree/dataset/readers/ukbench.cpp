// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// ukbench: four consecutive images of each object.
#include <string>
#include <utility>

#include "looptree/dataset/detail/readers.hpp"
#include "looptree/dataset/detail/sources.hpp"
#include "looptree/dataset/detail/text.hpp"

namespace looptree::detail {
namespace {

constexpr unsigned long kImagesPerObject = 4;

std::vector<Path> files_of(const Path& path) {
  std::vector<Path> files = image_files(path);
  std::erase_if(files, [](const Path& file) {
    return !file.filename().string().starts_with("ukbench") || !number_in(file);
  });
  return files;
}

}  // namespace

bool looks_like_ukbench(const Path& path) {
  return std::filesystem::is_directory(path) && !files_of(path).empty();
}

SequencePtr open_ukbench(const Path& path, const OpenOptions&) {
  std::vector<Path> files = files_of(path);
  SequenceInfo info{.format = "ukbench", .frames = frames_of(files), .is_route = false};
  for (std::size_t i = 0; i < files.size(); ++i) {
    info.frames[i].label = static_cast<std::uint32_t>(*number_in(files[i]) / kImagesPerObject);
  }
  return std::make_unique<Sequence>(std::move(info), file_source(std::move(files)));
}

}  // namespace looptree::detail
