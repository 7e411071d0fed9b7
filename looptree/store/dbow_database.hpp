// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "looptree/common/progress.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/store/map.hpp"
#include "looptree/store_export.hpp"

namespace looptree {

/// The images of a database that DBoW2 or DBoW3 saved.
struct DbowDatabase {
  std::uint32_t words = 0;  ///< of the vocabulary
  /// By image id, L1-normalised. An image without words, which DBoW2 allows, is empty.
  std::vector<Histogram> images;
};

/// Reads the `database` part of a file that DBoW2's or DBoW3's Database::save() wrote, plain or
/// gzip-compressed. Vectors that were not L1-normalised (a score other than L1) are made so. The
/// direct index is left out. Throws Error(not_found) if there is no file and Error(corruption),
/// with the line, for one that is something else. `progress` counts words of the vocabulary.
LOOPTREE_STORE_EXPORT DbowDatabase read_dbow_database(const std::filesystem::path& path,
                                                      const ProgressCallback& progress = {});

/// Adds the images to a map made with the same vocabulary, in order, in one commit, and returns the
/// id of the first: image i becomes frame first + i. An image without words cannot be stored; its
/// id stays vacant. Throws Error(invalid_argument) if the vocabularies differ in size.
LOOPTREE_STORE_EXPORT FrameId insert_dbow_database(Map& map, const DbowDatabase& database,
                                                   const FrameInfo& info = {});

}  // namespace looptree
