// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>

#include "looptree/dataset/open.hpp"
#include "looptree/dataset/sequence.hpp"

namespace looptree::detail {

/// One pair per reader, each in a file of its name: does the path look like mine, and open it.
using Path = std::filesystem::path;
using SequencePtr = std::unique_ptr<Sequence>;

bool looks_like_demo(const Path& path);
SequencePtr open_demo(const Path& path, const OpenOptions& options);
bool looks_like_tum(const Path& path);
SequencePtr open_tum(const Path& path, const OpenOptions& options);
bool looks_like_kitti(const Path& path);
SequencePtr open_kitti(const Path& path, const OpenOptions& options);
bool looks_like_oxford(const Path& path);
SequencePtr open_oxford(const Path& path, const OpenOptions& options);
bool looks_like_ukbench(const Path& path);
SequencePtr open_ukbench(const Path& path, const OpenOptions& options);
bool looks_like_holidays(const Path& path);
SequencePtr open_holidays(const Path& path, const OpenOptions& options);
bool looks_like_video(const Path& path);
SequencePtr open_video(const Path& path, const OpenOptions& options);
bool looks_like_bag(const Path& path);
SequencePtr open_bag(const Path& path, const OpenOptions& options);
bool looks_like_glob(const Path& path);
SequencePtr open_glob(const Path& path, const OpenOptions& options);
bool looks_like_list(const Path& path);
SequencePtr open_list(const Path& path, const OpenOptions& options);
bool looks_like_images(const Path& path);
SequencePtr open_images(const Path& path, const OpenOptions& options);

}  // namespace looptree::detail
