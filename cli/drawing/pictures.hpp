// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "looptree/dataset/sequence.hpp"
#include "looptree/detect/verification.hpp"

#include "cli/run/detect_folder.hpp"

namespace looptree::cli {

/// The route from above, to scale, with axes, a scale bar, its start, frame numbers along it, and a
/// line for every closure, in another colour where it is wrong by the truth; a ring where the
/// camera was at a closure with an `earlier` session. Without poses: query against match, a point
/// for every closure, a ring for an earlier session's, whose matches count from that session's
/// beginning. What write_drawing() writes.
void draw_route(const SequenceInfo& info, const std::vector<Closure>& closures,
                const std::vector<Closure>& earlier, const std::filesystem::path& file);

/// Two images one above the other with lines between their inliers. The images may be smaller than
/// those that the features are of. What write_drawing() writes.
void draw_pair(const Image& query, const Image& match, const Features& query_features,
               const Features& match_features, const Verification& verification,
               const std::filesystem::path& file);

}  // namespace looptree::cli
