// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace looptree::cli {

/// What `looptree view` is asked for.
struct ViewArguments {
  std::vector<std::string> runs;    ///< one or two run folders
  std::string output{};             ///< the page; empty: view.html in the first run
  std::optional<int> width{};       ///< of every frame's picture, see picture_widths()
  std::optional<int> pair_width{};  ///< of those of closures
};

/// Writes the page and returns where it is. Warns of a run whose sequence is not where it was.
/// Throws Error(unsupported) for a program built without npm, Error(io) where it cannot be written,
/// and what read_run_data() throws.
std::filesystem::path write_view(const ViewArguments& arguments);

}  // namespace looptree::cli
