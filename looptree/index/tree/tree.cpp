// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/tree/tree.hpp"

#include <algorithm>
#include <utility>

namespace looptree::detail {
namespace {

/// More frames than ids can count: where a power of the branching ends.
constexpr std::uint64_t kAllFrames = std::uint64_t{1} << 32;

}  // namespace

Tree::Tree(Topology topology) : topology_(std::move(topology)) {
  if (!topology_.is_grouped()) return;
  const std::vector<Groups>& groups = topology_.groups();
  std::vector<std::uint32_t> node_of = groups[0];
  for (std::size_t layer = 0; layer < groups.size(); ++layer) {
    if (layer > 0) {
      for (std::uint32_t& node : node_of) node = groups[layer][node];
    }
    node_of_frame_.push_back(node_of);
    std::vector<std::vector<std::uint32_t>> children(
        *std::max_element(groups[layer].begin(), groups[layer].end()) + 1);
    for (std::uint32_t item = 0; item < groups[layer].size(); ++item) {
      children[groups[layer][item]].push_back(item);
    }
    children_.push_back(std::move(children));
  }
}

std::uint64_t Tree::frames_per_node(std::size_t layer) const {
  std::uint64_t frames = 1;
  for (std::size_t l = 0; l < layer && frames < kAllFrames; ++l) frames *= topology_.branching();
  return std::min(frames, kAllFrames);
}

std::size_t Tree::search_layers(std::uint32_t frames) const {
  std::size_t layers = 1;
  while (layers <= pooled_layers() && nodes(layers - 1, frames) > 1) ++layers;
  return layers;
}

std::uint32_t Tree::node_of(std::size_t layer, std::uint32_t frame) const {
  if (layer == 0) return frame;
  if (topology_.is_grouped()) return node_of_frame_[layer - 1][frame];
  return static_cast<std::uint32_t>(frame / frames_per_node(layer));
}

std::uint32_t Tree::nodes(std::size_t layer, std::uint32_t frames) const {
  if (layer == 0 || frames == 0) return frames;
  if (topology_.is_grouped()) return static_cast<std::uint32_t>(children_[layer - 1].size());
  return node_of(layer, frames - 1) + 1;
}

Candidates Tree::above(std::size_t layer, std::uint32_t first, std::uint32_t last) const {
  Candidates result;
  if (first >= last) return result;
  if (layer > 0 && topology_.is_grouped()) {
    result.last = nodes(layer, last);
  } else {
    result.first = node_of(layer, first);
    result.last = node_of(layer, last - 1) + 1;
  }
  return result;
}

Candidates Tree::below(std::size_t layer, std::vector<std::uint32_t> nodes, std::uint32_t first,
                       std::uint32_t last) const {
  Candidates result = above(layer - 1, first, last);
  result.listed = true;
  std::sort(nodes.begin(), nodes.end());
  const auto add = [&](std::uint64_t child) {
    if (child >= result.first && child < result.last) {
      result.items.push_back(static_cast<std::uint32_t>(child));
    }
  };
  for (const std::uint32_t node : nodes) {
    if (topology_.is_grouped()) {
      for (const std::uint32_t child : children_[layer - 1][node]) add(child);
    } else {
      const std::uint64_t begin = std::uint64_t{node} * topology_.branching();
      const std::uint64_t end = std::min<std::uint64_t>(begin + topology_.branching(), result.last);
      for (std::uint64_t child = begin; child < end; ++child) add(child);
    }
  }
  if (topology_.is_grouped()) std::sort(result.items.begin(), result.items.end());
  return result;
}

std::vector<std::uint32_t> Tree::frames_under(std::size_t layer, std::uint32_t node,
                                              std::uint32_t frames) const {
  std::vector<std::uint32_t> items = {node};
  for (; layer > 0; --layer) items = below(layer, std::move(items), 0, frames).items;
  return items;
}

}  // namespace looptree::detail
