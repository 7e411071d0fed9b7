// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/index/core/candidates.hpp"
#include "looptree/index/topology.hpp"

namespace looptree::detail {

/// Who is whose parent. Layer 0 holds the frames; the shape follows from the topology and from how
/// many frames there are.
class Tree {
 public:
  explicit Tree(Topology topology);

  /// Pooled layers that exist at all, whether or not they are worth searching yet.
  std::size_t pooled_layers() const { return topology_.depth() - 1; }
  /// Layers a search of `frames` frames uses, frames included: one above a single node adds
  /// nothing.
  std::size_t search_layers(std::uint32_t frames) const;

  /// The node of `layer` that `frame` lies under.
  std::uint32_t node_of(std::size_t layer, std::uint32_t frame) const;
  /// Nodes of a layer once `frames` frames have been inserted.
  std::uint32_t nodes(std::size_t layer, std::uint32_t frames) const;
  /// All nodes of a layer above frames [first, last).
  Candidates above(std::size_t layer, std::uint32_t first, std::uint32_t last) const;
  /// The children, in the layer below, of nodes of `layer`; only those above (or among) frames
  /// [first, last).
  Candidates below(std::size_t layer, std::vector<std::uint32_t> nodes, std::uint32_t first,
                   std::uint32_t last) const;
  /// The frames under a node, ascending, of the `frames` inserted so far.
  std::vector<std::uint32_t> frames_under(std::size_t layer, std::uint32_t node,
                                          std::uint32_t frames) const;

 private:
  std::uint64_t frames_per_node(std::size_t layer) const;

  Topology topology_;
  // Explicit groups only, by layer from 1 up: the node above each frame, and each node's children.
  std::vector<std::vector<std::uint32_t>> node_of_frame_;
  std::vector<std::vector<std::vector<std::uint32_t>>> children_;
};

}  // namespace looptree::detail
