// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace looptree::cli {

/// What `looptree optimize RUN` does: corrects the odometry that a run was detected with by its
/// closures, prints errors before and after, and writes the result into the run folder.
void straighten(const std::filesystem::path& run_folder);

}  // namespace looptree::cli
