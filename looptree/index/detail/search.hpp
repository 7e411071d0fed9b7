// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "looptree/index/detail/layer.hpp"
#include "looptree/index/detail/tree.hpp"
#include "looptree/index/query.hpp"

namespace looptree::detail {

/// A pooled layer with what erasing needs to know: how many frames each node pools, and how many of
/// those are gone.
struct PooledStage {
  struct Count {
    std::uint32_t pooled = 0;
    std::uint32_t gone = 0;
  };
  std::unique_ptr<PooledLayer> storage;
  std::vector<Count> counts;

  void count(std::uint32_t node, std::uint32_t added) {
    if (node >= counts.size()) counts.resize(node + 1);
    counts[node].pooled += added;
  }
  /// Notes that one more frame of the node was erased; true once half of those pooled are.
  bool half_gone(std::uint32_t node) {
    Count& count = counts[node];
    ++count.gone;
    return count.gone * std::uint64_t{2} >= count.pooled;
  }
  void recount(std::uint32_t node, std::size_t left) {
    counts[node] = {static_cast<std::uint32_t>(left), 0};
  }
  std::size_t bytes() const { return counts.capacity() * sizeof(Count); }
};

/// What a search reads; nobody writes to it meanwhile.
struct SearchState {
  const Topology& topology;
  const Tree& tree;
  const FrameLayer& frames;
  const std::vector<PooledStage>& pooled;
  const std::vector<SessionId>& sessions;
};

/// The paper's search: breadth first from the top layer down, below a node only where its score
/// reaches the threshold.
QueryResult search(const SearchState& state, const Terms& query, const QueryOptions& options);

}  // namespace looptree::detail
