// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "looptree/dataset/sequence.hpp"

namespace looptree::detail {

/// Image files, frame by frame.
std::unique_ptr<ImageSource> file_source(std::vector<std::filesystem::path> paths);

/// A video, and how many frames its header announces. Throws Error(corruption) if it cannot be
/// opened.
struct Video {
  std::unique_ptr<ImageSource> source;
  std::size_t frames = 0;
};
Video video_source(const std::filesystem::path& path);

}  // namespace looptree::detail
