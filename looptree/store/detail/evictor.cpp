// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/evictor.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "looptree/histogram/scores.hpp"

namespace looptree::detail {

Evictor::Evictor(const MapBound& bound, const PooledIndex& index) : bound_(bound), index_(index) {
  if (unbounded()) return;
  for (std::uint32_t frame = 0; frame < index.next_id().value; ++frame) {
    if (index.contains(FrameId{frame})) inserted(FrameId{frame});
  }
}

bool Evictor::unbounded() const {
  return bound_.max_frames == std::numeric_limits<std::size_t>::max();
}

std::vector<FrameId> Evictor::victims(std::size_t count) const {
  std::vector<FrameId> result;
  if (unbounded() || stored_.size() + count <= bound_.max_frames) return result;
  const std::size_t wanted = std::min(stored_.size(), stored_.size() + count - bound_.max_frames);
  if (by_redundancy()) {
    for (const auto& [score, frame] : by_score_) {
      if (result.size() == wanted) break;
      result.emplace_back(frame);
    }
  } else {
    for (const auto& [frame, score] : stored_) {
      if (result.size() == wanted) break;
      result.emplace_back(frame);
    }
  }
  return result;
}

void Evictor::inserted(FrameId frame) {
  if (unbounded()) return;
  const double score =
      by_redundancy() && !stored_.empty() ? redundancy(frame.value, stored_.rbegin()->first) : 0.0;
  stored_.emplace(frame.value, 0.0);
  set_redundancy(frame.value, score);
}

void Evictor::erased(FrameId frame) {
  const auto gone = stored_.find(frame.value);
  if (gone == stored_.end()) return;
  by_score_.erase({-gone->second, frame.value});
  const auto after = stored_.erase(gone);
  if (!by_redundancy() || after == stored_.end()) return;
  set_redundancy(after->first, after == stored_.begin()
                                   ? 0.0
                                   : redundancy(after->first, std::prev(after)->first));
}

double Evictor::redundancy(std::uint32_t frame, std::uint32_t before) const {
  const auto a = index_.histogram(FrameId{frame});
  const auto b = index_.histogram(FrameId{before});
  return a && b ? intersection(*a, *b) : 0.0;
}

void Evictor::set_redundancy(std::uint32_t frame, double value) {
  if (!by_redundancy()) return;
  double& stored = stored_.at(frame);
  by_score_.erase({-stored, frame});
  stored = value;
  by_score_.insert({-stored, frame});
}

}  // namespace looptree::detail
