// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/temporal.hpp"

#include <algorithm>
#include <utility>

namespace looptree {

std::vector<Island> group_islands(std::span<const Match> matches, std::uint32_t max_gap) {
  std::vector<Match> ordered(matches.begin(), matches.end());
  std::sort(ordered.begin(), ordered.end(),
            [](const Match& a, const Match& b) { return a.frame < b.frame; });
  std::vector<Island> islands;
  for (const Match& match : ordered) {
    if (islands.empty() || match.frame.value - islands.back().last.value > max_gap) {
      islands.push_back({match.frame, match.frame, match.frame, match.score, match.score});
      continue;
    }
    Island& island = islands.back();
    island.last = match.frame;
    island.score += match.score;
    if (match.score > island.best_score) {
      island.best = match.frame;
      island.best_score = match.score;
    }
  }
  std::stable_sort(islands.begin(), islands.end(),
                   [](const Island& a, const Island& b) { return a.score > b.score; });
  return islands;
}

std::vector<std::size_t> TemporalConsistency::update(std::span<const Island> islands) {
  ++queries_;
  std::erase_if(traces_, [&](const Trace& trace) {
    return queries_ - trace.query > options_.max_missed + 1;
  });
  std::vector<std::size_t> counts;
  std::vector<Trace> found;
  for (const Island& island : islands) {
    std::size_t before = 0;
    for (const Trace& trace : traces_) {
      const std::uint32_t distance =
          island.first > trace.last   ? island.first.value - trace.last.value
          : trace.first > island.last ? trace.first.value - island.last.value
                                      : 0;
      if (distance <= options_.max_distance) before = std::max(before, trace.count);
    }
    counts.push_back(before + 1);
    found.push_back({island.first, island.last, before + 1, queries_});
  }
  traces_.insert(traces_.end(), found.begin(), found.end());
  return counts;
}

}  // namespace looptree
