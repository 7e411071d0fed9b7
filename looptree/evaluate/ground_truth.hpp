// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/evaluate_export.hpp"

namespace looptree::evaluate {

/// When two cameras count as being at the same place.
struct PoseRule {
  double max_distance_m = 15;  ///< the paper's; finite and >= 0
  double max_angle_deg = 180;  ///< 180 lets the camera look anywhere; in [0, 180]
};

/// Which database frames are right answers to which queries.
///
/// Says nothing of time: that a query may not be answered with its own neighbours is the business
/// of `last`, the end of the range of frames that it may be answered with. Immutable and cheap to
/// copy; safe to share between threads.
class LOOPTREE_EVALUATE_EXPORT GroundTruth {
 public:
  /// Right where the poses agree by `rule`. Throws Error(invalid_argument) for a rule out of range
  /// or a pose that is not finite.
  static GroundTruth by_poses(std::vector<Pose> queries, std::vector<Pose> frames,
                              PoseRule rule = {});
  /// A route that is compared with itself.
  static GroundTruth by_poses(std::vector<Pose> route, PoseRule rule = {});
  /// Right where the labels are equal: the same object, scene or place.
  static GroundTruth by_labels(std::vector<std::uint32_t> queries,
                               std::vector<std::uint32_t> frames);
  /// Right where the matrix, one row per query and one column per frame, is not 0. Throws
  /// Error(invalid_argument) unless it has queries x frames entries.
  static GroundTruth by_matrix(std::size_t queries, std::size_t frames,
                               std::vector<std::uint8_t> matrix);

  /// Right within `tolerance` frames of a number that stands for the query: of the `frames` in the
  /// database, those of places[query], none for a query that has no right answer. Throws
  /// Error(invalid_argument) for a number of `frames` or more.
  static GroundTruth by_numbers(std::size_t frames, std::vector<std::vector<std::size_t>> places,
                                std::size_t tolerance);

  std::size_t queries() const noexcept;
  std::size_t frames() const noexcept;

  /// Whether `frame` is a right answer to `query`. Throws Error(invalid_argument) past the end.
  bool is_right(std::size_t query, std::size_t frame) const;
  /// The right answers with a number below `last`, ascending. Same errors. Cost: for poses the
  /// frames in a slab of twice the distance, else all frames.
  std::vector<std::size_t> right_frames(
      std::size_t query, std::size_t last = std::numeric_limits<std::size_t>::max()) const;
  /// Whether there is one at all.
  bool has_right_frame(std::size_t query,
                       std::size_t last = std::numeric_limits<std::size_t>::max()) const;

  struct Rule;

 private:
  explicit GroundTruth(std::shared_ptr<const Rule> rule);
  std::shared_ptr<const Rule> rule_;
};

/// The end of the frames that query i of a route may be answered with, when they must be more than
/// `exclude_recent` frames older: max(0, i - exclude_recent).
constexpr std::size_t answerable(std::size_t query, std::size_t exclude_recent) {
  return query > exclude_recent ? query - exclude_recent : 0;
}

/// The queries of a route that have a right answer more than `exclude_recent` frames older.
LOOPTREE_EVALUATE_EXPORT std::vector<bool> revisits(const GroundTruth& truth,
                                                    std::size_t exclude_recent);

}  // namespace looptree::evaluate
