// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "looptree/evaluate/ground_truth.hpp"
#include "looptree/evaluate/result.hpp"
#include "looptree/evaluate_export.hpp"

namespace looptree::evaluate {

/// Two drives through one place, the reference and the query: what is the truth of them.
struct SessionsTruth {
  /// The frames that show what the query shows. A query without one is not asked for; the others
  /// are the positives.
  GroundTruth place;
  /// A claim of another frame is a false alarm. Wider than `place`, so that it is no false alarm to
  /// find the same place from a little further away.
  GroundTruth near_place;
};

/// What a detector answered to one frame of the query drive, in frame numbers of the two drives.
struct SessionAnswer {
  std::size_t query = 0;
  std::vector<std::size_t> ranked = {};  ///< frames of the reference by falling score
  /// The frame whose geometry agreed best, whether it was believed or refused; nothing if none was
  /// looked at.
  std::optional<std::size_t> match = {};
  double inliers = 0;    ///< of `match`
  bool claimed = false;  ///< whether `match` was believed
};

/// The numbers of one detector. Metrics:
///   recall, precision         of what it claimed; positives whose place was claimed
///   claims, false_alarms      how many
///   recall_at_full_precision  the highest recall of any number of inliers without a false alarm,
///                             believing every match of so many, those the detector refused too
///   average_precision         likewise
///   best_right                the part of the positives whose best frame by score is of the place
///   in_best_5, in_best_20     ...that have one among so many best
/// `curve` is over inliers, `closures` are the claims with their inliers as scores. A claim near
/// the place of a query that is no positive counts as neither. Throws Error(invalid_argument) for
/// numbers past the truth's, for a claim without a match, and for truths of different sizes.
LOOPTREE_EVALUATE_EXPORT VariantResult judge_sessions(const std::string& name,
                                                      std::span<const SessionAnswer> answers,
                                                      const SessionsTruth& truth);

/// Reads the truth of two drives as a table: a CSV file whose header begins with "query,reference",
/// a pair of frame numbers per row, several rows for a query that has several places, none for one
/// that has none. Returns the places of each of `queries` frames. Throws Error(not_found) without a
/// file, Error(corruption) with the line for what is no such table or names a frame of `queries` or
/// `references` or more.
LOOPTREE_EVALUATE_EXPORT std::vector<std::vector<std::size_t>> read_places(
    const std::filesystem::path& path, std::size_t queries, std::size_t references);

}  // namespace looptree::evaluate
