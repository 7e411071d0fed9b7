// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "looptree/detect/loop_detector.hpp"
#include "looptree/store/map.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// A detector whose frames live in a map: it starts with what the map holds, finds loops to earlier
/// sessions as to its own, and adds its frames, with their features, and its closures as a new
/// session, called `session_name`, which begins with the first frame that is inserted. Frame ids
/// are the map's. LoopDetectorOptions::topology has no part in it: a map has its own.
/// exclude_recent counts frames of the new session only, since between two sessions the camera was
/// somewhere else.
///
/// The map must be open for writing; what is safe when is for its Durability to say. Without
/// geometric verification features are not stored. Throws Error(invalid_argument) for a vocabulary
/// that is not the map's.
LOOPTREE_VISION_EXPORT LoopDetector make_map_detector(
    std::shared_ptr<Map> map, Vocabulary vocabulary, const std::string& session_name,
    LoopDetectorOptions options = {}, std::unique_ptr<KeyframeSelector> selector = nullptr);

}  // namespace looptree
