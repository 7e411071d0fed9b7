// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

#include "looptree/graph/pose_graph.hpp"
#include "looptree/graph_export.hpp"

namespace looptree {

/// Pose graphs as other optimisers read them. docs/graph.md has the fields. All writers throw
/// Error(io) if the file cannot be written; they write what they are given, also a graph that
/// check() would refuse.

/// g2o: VERTEX_SE3:QUAT, FIX for the first vertex, EDGE_SE3:QUAT target source, the upper triangle
/// of the information (x y z, then the quaternion's qx qy qz, which are half radians). Where there
/// are several sessions, a comment '# session N' stands before the vertices of each.
LOOPTREE_GRAPH_EXPORT void write_g2o(const std::filesystem::path& path, const PoseGraph& graph);

/// Reads what write_g2o() or another program wrote. An edge from a vertex to the next in the file,
/// in the same session, is odometry; others are closures. Lines of other tags are skipped, but for
/// vertices and edges of other kinds, which are Error(unsupported). Throws Error(not_found) without
/// the file and Error(corruption), with the line, for a row that is damaged, a vertex that comes
/// twice, an edge whose vertices are not there, an edge from a vertex to itself.
LOOPTREE_GRAPH_EXPORT PoseGraph read_g2o(const std::filesystem::path& path);
LOOPTREE_GRAPH_EXPORT PoseGraph parse_g2o(std::string_view text, std::string_view name = "");

/// GTSAM's own dialect (load3D, readG2o with is3D): VERTEX3 id x y z roll pitch yaw, EDGE3 target
/// source x y z roll pitch yaw and the upper triangle of the information, rotation in radians first
/// and then translation. GTSAM wants information in all six directions.
LOOPTREE_GRAPH_EXPORT void write_gtsam(const std::filesystem::path& path, const PoseGraph& graph);

/// Ceres-ready: FOLDER/vertices.csv (id,session,time_s,x,y,z,qx,qy,qz,qw) and FOLDER/edges.csv
/// (kind,target,source,x,y,z,qx,qy,qz,qw,s00..s55), where s is a square root of the information,
/// 36 numbers row by row, to multiply a residual of x y z and a rotation vector with. The folder is
/// made.
LOOPTREE_GRAPH_EXPORT void write_graph_csv(const std::filesystem::path& folder,
                                           const PoseGraph& graph);

}  // namespace looptree
