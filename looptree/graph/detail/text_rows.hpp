// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/export.hpp"

// Also for looptree::graph, which may be another shared library.
namespace looptree::detail {

/// The whole of a text file. Throws Error(not_found).
LOOPTREE_EXPORT std::string read_text(const std::filesystem::path& path);
/// A file to write to; close_text() throws Error(io) if something of it was refused.
LOOPTREE_EXPORT std::ofstream create_text(const std::filesystem::path& path);
LOOPTREE_EXPORT void close_text(std::ofstream& file, const std::filesystem::path& path);

/// A line of a text file: a word in front, where it begins with a letter, and numbers.
struct TextRow {
  std::string_view text;
  std::size_t line = 0;    ///< from 1
  std::string_view tag{};  ///< empty if the row begins with a number
  std::vector<double> numbers{};
  bool is_whole = true;  ///< false: something in it is neither
};

/// The rows of a text; empty ones are left out, comments (#) have the tag "#" and no numbers.
LOOPTREE_EXPORT std::vector<TextRow> text_rows(std::string_view text);

/// Throws Error(corruption): what was expected in that row, and the row.
[[noreturn]] LOOPTREE_EXPORT void refuse_row(const TextRow& row, std::string_view name,
                                             std::string_view expected);

/// A pose of 'x y z qx qy qz qw' from `first` on; refused in the row's name if it is none.
LOOPTREE_EXPORT Pose pose_in(const TextRow& row, std::size_t first, std::string_view name);

}  // namespace looptree::detail
