// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "looptree/index/pooled_index.hpp"
#include "looptree/store/map_types.hpp"

namespace looptree::detail {

/// Chooses which frames of a bounded map make room. It is told of every change after the index has
/// seen it.
class Evictor {
 public:
  /// Starts with the frames the index holds. The index outlives this.
  Evictor(const MapBound& bound, const PooledIndex& index);

  /// The frames to erase before `count` more are inserted. None if there is room.
  std::vector<FrameId> victims(std::size_t count) const;
  void inserted(FrameId frame);
  void erased(FrameId frame);

 private:
  bool by_redundancy() const { return bound_.eviction == Eviction::redundancy; }
  bool unbounded() const;
  double redundancy(std::uint32_t frame, std::uint32_t before) const;
  void set_redundancy(std::uint32_t frame, double value);

  MapBound bound_;
  const PooledIndex& index_;
  std::map<std::uint32_t, double> stored_;  // frames, each with its score against the one before
  std::set<std::pair<double, std::uint32_t>> by_score_;  // (-score, frame): most redundant first
};

}  // namespace looptree::detail
