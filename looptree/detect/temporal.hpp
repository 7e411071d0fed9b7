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

/// Neighbouring matches of one query, taken as one place.
struct Island {
  FrameId first;  ///< lowest frame
  FrameId last;   ///< highest frame, included
  FrameId best;   ///< the frame of highest score
  double best_score = 0;
  double score = 0;  ///< the sum over its matches
  friend bool operator==(const Island&, const Island&) = default;
};

/// Groups matches whose frames follow each other with gaps of at most `max_gap`. Best first, by the
/// summed score; equal ones by lower frame.
LOOPTREE_EXPORT std::vector<Island> group_islands(std::span<const Match> matches,
                                                  std::uint32_t max_gap);

struct TemporalOptions {
  /// Matches this close together, in frames, are one island.
  std::uint32_t max_gap = 3;
  /// An island continues one of the query before if at most this many frames lie between them.
  std::uint32_t max_distance = 3;
  /// Up to this many queries without a matching island are forgiven.
  std::size_t max_missed = 2;
};

/// Counts how many queries in a row have pointed to one place: a camera that comes back stays there
/// for a while, and chance does not. Not for several threads at once.
class LOOPTREE_EXPORT TemporalConsistency {
 public:
  explicit TemporalConsistency(TemporalOptions options = {}) : options_(options) {}

  /// Takes the islands of the next query and says for each how many queries in a row, this one
  /// included, had an island there; 1 for a new place.
  std::vector<std::size_t> update(std::span<const Island> islands);

 private:
  struct Trace {
    FrameId first;
    FrameId last;
    std::size_t count;
    std::size_t query;
  };
  TemporalOptions options_;
  std::vector<Trace> traces_;
  std::size_t queries_ = 0;
};

}  // namespace looptree
