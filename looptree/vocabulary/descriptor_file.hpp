// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "looptree/common/descriptors.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// Descriptors of several images, in the order of the images.
struct ImageDescriptors {
  Descriptors descriptors;
  std::vector<std::size_t> rows_per_image;
};

/// Reads descriptors that any program can write: NAME.u8 or NAME.f32 holds the rows, little-endian
/// and nothing else, and NAME.txt beside it says what they are, a key and a value per line:
///
///     type u8          or f32
///     bytes 32         of a row; for f32: dim 128
///     images 50
///     per_image 60     or "rows" and then the rows of every image, separated by blanks or lines
///
/// Further keys are ignored. `path` names the file of rows. Throws Error(not_found), Error(io), or
/// Error(corruption) if the two files contradict each other.
LOOPTREE_EXPORT ImageDescriptors read_descriptor_file(const std::filesystem::path& path);

/// Writes both files. Throws Error(invalid_argument) if the rows of the images do not add up to
/// those of `descriptors`, and Error(io).
LOOPTREE_EXPORT void write_descriptor_file(const std::filesystem::path& path,
                                           DescriptorView descriptors,
                                           std::span<const std::size_t> rows_per_image);

}  // namespace looptree
