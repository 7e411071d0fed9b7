// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "looptree/evaluate/result.hpp"
#include "looptree/evaluate/run_folder.hpp"

namespace looptree::cli {

/// Times of queries against databases of about one size.
struct TimeBin {
  double size = 0;
  double median_ms = 0;
  double low_ms = 0;   ///< lower quartile
  double high_ms = 0;  ///< upper quartile
};

/// The times of a variant by size of the database, in at most 60 even bins.
std::vector<TimeBin> binned_times(const std::vector<evaluate::QueryTime>& times,
                                  std::uint32_t variant);

/// Writes the figures of a run into a folder: NAME-curves, precision over recall, and NAME-times,
/// query time over the size of the database, as SVG and PDF; those that the run has data for.
/// Returns their paths. Throws Error(io) if that fails.
std::vector<std::filesystem::path> write_figures(const evaluate::Run& run,
                                                 const std::filesystem::path& folder);

}  // namespace looptree::cli
