// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "looptree/detect/loop_detector.hpp"

namespace looptree::cli {

/// A closure as one line of JSON, for scripts: query and match by number, name and time (of an
/// earlier session, its number and the frame's id in the map), score, inliers, coverage, and, where
/// the camera is calibrated, match_from_query: the rotation as a quaternion x y z w and the
/// direction of the translation.
std::string closure_json(const Detection& detection);

}  // namespace looptree::cli
