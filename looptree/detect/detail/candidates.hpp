// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/detect/place_filter.hpp"
#include "looptree/detect/temporal.hpp"
#include "looptree/export.hpp"
#include "looptree/index/query.hpp"

namespace looptree::detail {

/// Whether two frames lie at most so many apart.
inline bool within(FrameId a, FrameId b, std::uint32_t most) {
  return (a < b ? b.value - a.value : a.value - b.value) <= most;
}

/// A place that may be where the camera is now.
struct Candidate {
  FrameId frame;
  double score = 0;
  std::size_t consistent = 0;  ///< queries in a row that pointed there, this one included
};

/// Finds what is worth verifying in the matches of a query, best first: of the places that the last
/// queries moved along and of the islands of the best matches one each in turn, and no place twice.
class LOOPTREE_EXPORT CandidateSearch {
 public:
  explicit CandidateSearch(const TemporalOptions& temporal, const PlaceFilterOptions& places)
      : temporal_(temporal), max_gap_(temporal.max_gap), places_(places) {}

  /// `matches` best first; those from `island_matches` on, and those below `threshold`, count for
  /// the sequence alone. `ahead`: where the last closure leads, which comes first.
  std::vector<Candidate> update(std::span<const Match> matches, std::size_t island_matches,
                                double threshold, const std::optional<Candidate>& ahead,
                                std::size_t most);

 private:
  TemporalConsistency temporal_;
  std::uint32_t max_gap_;
  PlaceFilter places_;
};

}  // namespace looptree::detail
