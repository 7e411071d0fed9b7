// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/detail/candidates.hpp"

#include <algorithm>

namespace looptree::detail {
namespace {

/// Queries that must have had a match along a way before it is worth a look.
constexpr std::size_t kFewestHits = 3;

/// How many queries in a row pointed to the island that holds the frame; 1: it lies in none.
std::size_t count_at(FrameId frame, const std::vector<Island>& islands,
                     const std::vector<std::size_t>& counts) {
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (islands[i].first <= frame && frame <= islands[i].last) return counts[i];
  }
  return 1;
}

}  // namespace

std::vector<Candidate> CandidateSearch::update(std::span<const Match> matches,
                                               std::size_t island_matches, double threshold,
                                               const std::optional<Candidate>& ahead,
                                               std::size_t most) {
  std::size_t best = 0;
  while (best < std::min(island_matches, matches.size()) && matches[best].score >= threshold) {
    ++best;
  }
  const std::vector<Island> islands = group_islands(matches.first(best), max_gap_);
  const std::vector<std::size_t> counts = temporal_.update(islands);
  std::vector<Place> places = places_.update(matches);
  std::erase_if(places, [](const Place& place) { return place.hits < kFewestHits; });
  places = apart(places, max_gap_, most);

  std::vector<Candidate> candidates;
  const auto add = [&](const Candidate& candidate) {
    const bool is_known =
        std::any_of(candidates.begin(), candidates.end(),
                    [&](const Candidate& c) { return within(c.frame, candidate.frame, max_gap_); });
    if (!is_known && candidates.size() < most) candidates.push_back(candidate);
  };
  if (ahead) add(*ahead);
  for (std::size_t i = 0; i < std::max(islands.size(), places.size()); ++i) {
    if (i < islands.size()) add({islands[i].best, islands[i].best_score, counts[i]});
    if (i < places.size()) {
      add({places[i].frame, places[i].score, count_at(places[i].frame, islands, counts)});
    }
  }
  return candidates;
}

}  // namespace looptree::detail
