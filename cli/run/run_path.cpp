// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/run/run_path.hpp"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/core.h>

namespace looptree::cli {

namespace fs = std::filesystem;

fs::path new_run_path(const std::string& name) {
  const std::time_t now = std::time(nullptr);
  const std::string stem = fmt::format("{:%Y-%m-%d-%H%M%S}-{}", fmt::localtime(now), name);
  fs::path path = fs::path("runs") / stem;
  for (int i = 2; fs::exists(path); ++i) path = fs::path("runs") / fmt::format("{}-{}", stem, i);
  return path;
}

void link_latest(const fs::path& run) {
  const fs::path link = run.parent_path() / "latest";
  std::error_code none;
  if (fs::is_symlink(link, none)) fs::remove(link, none);
  fs::create_directory_symlink(run.filename(), link, none);
}

}  // namespace looptree::cli
