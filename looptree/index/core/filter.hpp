// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "looptree/index/core/collector.hpp"
#include "looptree/index/core/sessions.hpp"
#include "looptree/index/query.hpp"

namespace looptree::detail {

/// A Filter applied to a state of the index: a range of ids, and a test for what lies inside.
class FrameFilter {
 public:
  /// Both outlive this.
  FrameFilter(const Filter& filter, const Sessions& sessions) {
    const std::uint32_t next = sessions.next();
    first_ = filter.first.value;
    last_ = std::min(filter.last.value, next - std::min(next, filter.exclude_recent));
    last_ = std::max(first_, last_);
    if (!filter.sessions && !filter.accept) return;
    accept_ = [&filter, &sessions](std::uint32_t frame) {
      if (filter.sessions) {
        const auto& wanted = *filter.sessions;
        if (std::find(wanted.begin(), wanted.end(), sessions[frame]) == wanted.end()) return false;
      }
      return !filter.accept || filter.accept(FrameId{frame});
    };
  }

  bool empty() const { return first_ == last_; }
  std::uint32_t first() const { return first_; }
  std::uint32_t last() const { return last_; }
  /// Null where every frame of the range passes.
  const Collector::Accept* accept() const { return accept_ ? &accept_ : nullptr; }

 private:
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  Collector::Accept accept_;
};

/// What a collector kept, as the public answer.
inline std::vector<Match> to_matches(const std::vector<Scored>& kept) {
  std::vector<Match> matches;
  matches.reserve(kept.size());
  for (const Scored& scored : kept) {
    matches.push_back({FrameId{scored.item}, from_fixed(scored.sum)});
  }
  return matches;
}

}  // namespace looptree::detail
