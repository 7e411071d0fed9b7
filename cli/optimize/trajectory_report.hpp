// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/graph/trajectory_error.hpp"

#include "cli/drawing/trajectory_picture.hpp"

namespace looptree::cli {

/// How far a trajectory was off before it was optimised, and after.
struct TrajectoryComparison {
  ErrorStatistics rigid_before, rigid_after;      ///< absolute, aligned
  ErrorStatistics similar_before, similar_after;  ///< absolute, aligned and scaled
  RelativeError relative_before, relative_after;  ///< from frame to frame
};

/// Throws as absolute_error() does.
TrajectoryComparison compare_trajectories(std::span<const Pose> truth, std::span<const Pose> before,
                                          std::span<const Pose> after);
void print_comparison(const TrajectoryComparison& errors);
/// What odometry and the corrected route look like in a picture.
inline const Stroke kBeforeStroke{.colour = colours::kWrong, .width = 1.2, .dash = {4, 2}};
inline const Stroke kAfterStroke{.colour = colours::kRight, .width = 1.4};
/// The three on one another, with how far they are off: odometry as it leaves the true start, the
/// corrected route where it fits the truth best.
std::vector<PictureLine> draw_comparison(const TrajectoryComparison& errors,
                                         const std::vector<Pose>& truth,
                                         const std::vector<Pose>& before,
                                         const std::vector<Pose>& after);

}  // namespace looptree::cli
