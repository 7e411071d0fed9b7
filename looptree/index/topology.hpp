// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "looptree/export.hpp"

namespace looptree {

/// How the histograms of a group become the histogram of their node, word by word.
enum class Pooling {
  mean,  ///< the average: prunes most, may lose matches
  sum,   ///< the sum: never below a member, so pruning loses nothing
  max,   ///< the maximum: never below a member, and the tighter of the two
};

LOOPTREE_EXPORT std::string_view to_string(Pooling pooling);

/// Groups of one layer: entry i is the node of the layer above that item i belongs to. Groups are
/// numbered from 0 without gaps, are never empty, and need be neither contiguous nor of one size.
using Groups = std::vector<std::uint32_t>;

/// How frames are grouped into nodes, nodes into nodes above, and how each group is pooled.
///
/// Layer 0 holds the frames. Value type; safe to copy and share.
class LOOPTREE_EXPORT Topology {
 public:
  /// One layer: the flat inverted index, `d1`.
  Topology() = default;

  /// `depth` layers in [1, 32], each node above layer 0 pooling `branching` >= 2 neighbours. Layers
  /// are added as the map grows, never beyond the one that is a single root. Throws
  /// Error(invalid_argument) for numbers out of range.
  static Topology fixed(std::size_t depth, std::size_t branching, Pooling pooling);

  /// One pooled layer per element: groups of frames, then groups of those groups, and so on. An
  /// index of this topology takes exactly as many frames as `layers[0]` has entries. Throws
  /// Error(invalid_argument) where a layer has gaps or does not fit the one below.
  static Topology grouped(std::vector<Groups> layers, Pooling pooling);

  /// The paper's names: `d1`, `d2b4-mean`, `d3b8-max`. Throws Error(invalid_argument) and says what
  /// a name looks like.
  static Topology parse(std::string_view name);

  /// The name that parse() reads; for explicit groups `grouped(layers)-pooling`, which it does not.
  std::string name() const;

  /// The most layers the tree may have, frames included.
  std::size_t depth() const noexcept;
  /// Children per node; 0 for explicit groups and for one layer.
  std::size_t branching() const noexcept { return branching_; }
  Pooling pooling() const noexcept { return pooling_; }
  /// Whether the groups were given by the caller.
  bool is_grouped() const noexcept { return !groups_.empty(); }
  /// The given groups, layer by layer from the frames up; empty for a fixed topology.
  const std::vector<Groups>& groups() const noexcept { return groups_; }
  /// Whether a search over it returns exactly what scoring every frame would: all but mean.
  bool is_exact() const noexcept { return depth() == 1 || pooling_ != Pooling::mean; }

  friend bool operator==(const Topology&, const Topology&) = default;

 private:
  std::size_t depth_ = 1;
  std::size_t branching_ = 0;
  Pooling pooling_ = Pooling::max;
  std::vector<Groups> groups_;
};

}  // namespace looptree
