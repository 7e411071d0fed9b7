// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "looptree/graph/pose_graph.hpp"

namespace looptree::detail {

/// Bytes of the Cholesky factor of the equations of a graph with these of its closures, by a
/// minimum-degree order; more than `limit` is not counted to its end. Cost: that of the order, and
/// of the factor's blocks up to the limit.
std::size_t factor_bytes(const PoseGraph& graph, const std::vector<bool>& used, std::size_t limit);

/// Closures that another one supports: from about the same frames to about the same frames. True
/// ones come in rows, along stretches driven twice; false ones that lie anywhere stand alone.
std::vector<bool> supported_closures(const PoseGraph& graph);

/// The closures to solve for: all of them, or those with support, if all of them would make a
/// factor of more than `limit` bytes. Throws Error(invalid_argument) if even those do.
std::vector<bool> solvable_closures(const PoseGraph& graph, std::size_t limit);

}  // namespace looptree::detail
