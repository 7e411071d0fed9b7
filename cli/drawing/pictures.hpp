// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "looptree/dataset/sequence.hpp"
#include "looptree/detect/verification.hpp"

#include "cli/detect/detect_folder.hpp"

namespace looptree::cli {

/// The route from above with a line for every closure, green where it is right by the truth, red
/// where it is wrong. Without poses: query against match, a point for every closure.
void draw_route(const SequenceInfo& info, const std::vector<Closure>& closures,
                const std::filesystem::path& file);

/// Two images side by side with lines between their inliers.
void draw_pair(const Image& query, const Image& match, const Features& query_features,
               const Features& match_features, const Verification& verification,
               const std::filesystem::path& file);

}  // namespace looptree::cli
