// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "looptree/index/core/sessions.hpp"
#include "looptree/index/frames/frame_layer.hpp"
#include "looptree/index/query.hpp"
#include "looptree/index/tree/pooled_layer.hpp"
#include "looptree/index/tree/tree.hpp"

namespace looptree::detail {

/// What a search reads; nobody writes to it meanwhile.
struct SearchState {
  const Topology& topology;
  const Tree& tree;
  const FrameLayer& frames;
  const std::vector<PooledLayer>& pooled;  ///< from the layer above the frames up
  const Sessions& sessions;
};

/// The paper's search: breadth first from the top layer down, below a node only where its score
/// reaches the threshold.
QueryResult search(const SearchState& state, const FixedView& query, const QueryOptions& options);

}  // namespace looptree::detail
