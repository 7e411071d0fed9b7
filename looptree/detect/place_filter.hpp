// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/export.hpp"
#include "looptree/index/query.hpp"

namespace looptree {

struct PlaceFilterOptions {
  /// Part of a place's evidence that the next query keeps; in [0, 1). 0.9 remembers some ten
  /// queries.
  double memory = 0.9;
  /// How far the match may move from one query to the next, in frames, in either direction: the
  /// camera may now be faster than it was then, or slower, or stand still.
  std::uint32_t max_step = 5;
  /// What one query may add at most, so that no single image decides; above 0.
  double max_gain = 1;
  /// Queries in a row without a match after which a place is forgotten.
  std::size_t max_missed = 5;
  /// Places remembered at most, those with the most evidence.
  std::size_t max_places = 1024;
};

/// A place that the last queries may have moved along.
struct Place {
  FrameId frame;         ///< where they have come to
  double evidence = 0;   ///< what they add up to
  double score = 0;      ///< of this query with `frame`
  std::size_t hits = 0;  ///< queries that had a match along the way
  friend bool operator==(const Place&, const Place&) = default;
};

/// Adds up weak scores along the paths that a camera may have taken, so that a place is known
/// before any single image is sure of it. A match gains by how far its score stands out of those
/// of the same query: its score over their median, less 1. Its evidence is its gain and, of the
/// places from which the query before can have come to it, moving forwards or backwards, the most
/// evidence times `memory`. That is Viterbi's algorithm over all ways along the map with steps of
/// up to `max_step` in one direction; a way may miss a few queries, and then takes longer steps.
///
/// The same matches give the same places. Not for several threads at once. Memory and cost:
/// max_places, and for each match those near it; some 50 us for 200 matches.
class LOOPTREE_EXPORT PlaceFilter {
 public:
  /// Throws Error(invalid_argument) for options out of range.
  explicit PlaceFilter(const PlaceFilterOptions& options = {});

  /// Takes the matches of the next query, in any order, the more the better, and returns the
  /// places where this query has one: those with the most evidence first, equal ones by lower
  /// frame.
  std::vector<Place> update(std::span<const Match> matches);

 private:
  enum class Way { forwards, backwards };
  /// The end of the best path to a frame in one direction.
  struct End {
    FrameId frame;
    double evidence;
    std::size_t hits;
    std::size_t missed;
  };

  const End* best_before(FrameId frame, const std::vector<End>& ends, Way way) const;
  std::vector<End> advance(std::span<const Match> ordered, double middle, Way way,
                           const std::vector<End>& before) const;
  void forget(std::vector<End>& ends) const;

  PlaceFilterOptions options_;
  std::vector<End> forwards_;   ///< by frame
  std::vector<End> backwards_;  ///< by frame
};

/// The first of the places, and of each run of places that lie at most `max_gap` frames apart only
/// that with the most evidence, in the order given.
LOOPTREE_EXPORT std::vector<Place> apart(std::span<const Place> places, std::uint32_t max_gap,
                                         std::size_t count);

}  // namespace looptree
