// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "looptree/common/information.hpp"
#include "looptree/common/pose.hpp"
#include "looptree/graph_export.hpp"

namespace looptree {

/// A keyframe. `pose` is what is known of it before optimisation: world_from_camera, in a world
/// that all vertices of its session share.
struct PoseVertex {
  std::uint64_t id = 0;       ///< the caller's; files name vertices by it
  std::uint32_t session = 0;  ///< vertices of one session stand together and in order
  Pose pose{};
  std::optional<double> time_s{};
};

/// A measured pose of one vertex, the source, as another one, the target, sees it.
struct PoseEdge {
  std::size_t target = 0;  ///< which vertex of the graph; in a closure the match, the older frame
  std::size_t source = 0;  ///< in a closure the query
  Pose target_from_source{};
  Information information{};
};

/// Keyframes, what odometry says of neighbours, and what closures say of the rest.
struct PoseGraph {
  std::vector<PoseVertex> vertices;
  std::vector<PoseEdge> odometry;
  std::vector<PoseEdge> closures;
};

/// How much odometry may be off, for edges made from a trajectory. Variances grow with the way;
/// the floor keeps a camera that stands still from being held for certain.
struct OdometrySigmas {
  double translation = 0.02;       ///< metres per square root of a metre driven
  double rotation_deg = 0.05;      ///< degrees per square root of a metre driven
  double min_translation = 0.005;  ///< metres per edge
  double min_rotation_deg = 0.01;  ///< degrees per edge
};

/// Appends a session: a vertex per pose, with ids that go on after the largest there is, and an
/// odometry edge between neighbours. Returns the index of the first vertex. Times may be empty, or
/// one per pose. Throws Error(invalid_argument) for no poses, another number of times, or sigmas
/// that are not above 0.
LOOPTREE_GRAPH_EXPORT std::size_t add_session(PoseGraph& graph, std::span<const Pose> poses,
                                              std::span<const double> times_s = {},
                                              const OdometrySigmas& sigmas = {});

/// Throws Error(invalid_argument) that names the vertex or edge which is out of contract: two
/// vertices of one id, an edge to a vertex that is not there or to itself, numbers that are not
/// finite, a matrix that is no rotation, an information that is not symmetric or negative
/// somewhere. Cost: linear.
LOOPTREE_GRAPH_EXPORT void check(const PoseGraph& graph);

}  // namespace looptree
