// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "looptree/common/error.hpp"
#include "looptree/graph/graph_files.hpp"
#include "looptree/graph/trajectory.hpp"

namespace looptree::test {

inline void require_finite(const Pose& pose) {
  for (const double value : pose.rotation) {
    if (!std::isfinite(value)) std::abort();
  }
  for (const double value : pose.translation) {
    if (!std::isfinite(value)) std::abort();
  }
}

/// What must hold for any text at all: every reader refuses it with looptree::Error, or gives poses
/// of finite numbers and edges between vertices that are there. Returns how many readers took it.
inline int exercise_graph_readers(std::string_view text) {
  int taken = 0;
  try {
    const PoseGraph graph = parse_g2o(text);
    ++taken;
    for (const PoseVertex& vertex : graph.vertices) require_finite(vertex.pose);
    for (const auto* edges : {&graph.odometry, &graph.closures}) {
      for (const PoseEdge& edge : *edges) {
        require_finite(edge.target_from_source);
        const std::size_t count = graph.vertices.size();
        if (edge.target >= count || edge.source >= count || edge.target == edge.source) {
          std::abort();
        }
      }
    }
  } catch (const Error&) {
  }
  try {
    for (const TimedPose& timed : parse_tum(text)) require_finite(timed.pose);
    ++taken;
  } catch (const Error&) {
  }
  try {
    for (const Pose& pose : parse_kitti(text)) require_finite(pose);
    ++taken;
  } catch (const Error&) {
  }
  return taken;
}

}  // namespace looptree::test
