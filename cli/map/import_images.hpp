// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "looptree/store/map.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree::cli {

/// Adds the images of a sequence (a KITTI folder, say) to a map, with their features and a small
/// picture, and with the times and poses the sequence has. Frames without features, and images that
/// cannot be read, are left out, the latter with a warning. Returns how many were added.
std::size_t import_images(Map& map, const Vocabulary& vocabulary, const std::string& path,
                          SessionId session);

}  // namespace looptree::cli
