// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "looptree/dataset/sequence.hpp"

namespace looptree::cli {

/// A run of `looptree detect` as its page takes it.
struct RunData {
  nlohmann::json json;                 ///< docs/view.md describes it
  std::unique_ptr<Sequence> sequence;  ///< null where it does not lie where it lay
  std::string missing;                 ///< and why
  std::set<std::size_t> pair_frames;   ///< frames of closures
};

/// Reads a run folder, and the poses and the truth of its sequence where that can be opened. Throws
/// Error(not_found or corruption) for what is no such folder.
RunData read_run_data(const std::filesystem::path& folder);

}  // namespace looptree::cli
