// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "looptree/common/progress.hpp"
#include "looptree/store/map.hpp"
#include "looptree/store_export.hpp"

namespace looptree {

/// Writes a map as comma-separated text into a folder, which is made if need be: sessions.csv,
/// frames.csv, words.csv (one line per frame and word) and closures.csv. Numbers are written with
/// as many digits as bring them back exactly. Erased frames are left out. Throws Error(io) if a
/// file cannot be written. `progress` counts frames.
LOOPTREE_STORE_EXPORT void export_csv(const Map& map, const std::filesystem::path& folder,
                                      const ProgressCallback& progress = {});

}  // namespace looptree
