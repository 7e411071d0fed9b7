// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "looptree/dataset/sequence.hpp"
#include "looptree/store/map.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree::cli {

struct ImportedImages {
  std::size_t frames = 0;
  std::optional<SessionId> session{};  ///< theirs, if there are any
};

/// Adds the images of a sequence (a KITTI folder, say) to a map, with their features, and with the
/// times and poses the sequence has, as a session called `name` that starts with the first of them.
/// Frames without features, and images that cannot be read, are left out, the latter with a
/// warning. The map keeps a small picture of each.
ImportedImages import_images(Map& map, const Vocabulary& vocabulary, Sequence& sequence,
                             const std::string& name);

}  // namespace looptree::cli
