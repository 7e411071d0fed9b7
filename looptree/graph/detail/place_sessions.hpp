// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "looptree/graph/pose_graph.hpp"

namespace looptree::detail {

/// Throws Error(invalid_argument) with the session of a vertex that no path of edges joins with the
/// first vertex.
void require_connected(const PoseGraph& graph);

/// The poses to start from: every session moved as a whole to where most of the closures with
/// sessions that are placed already want it. The first session stays.
std::vector<Pose> place_sessions(const PoseGraph& graph);

}  // namespace looptree::detail
