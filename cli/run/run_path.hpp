// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace looptree::cli {

/// Where a run goes that was given no folder: runs/2026-11-15-143059-NAME, and a number behind it
/// if two runs begin in one second. Nothing is made.
std::filesystem::path new_run_path(const std::string& name);

/// Makes `latest`, beside the run, lead to it. File systems without links do without.
void link_latest(const std::filesystem::path& run);

}  // namespace looptree::cli
