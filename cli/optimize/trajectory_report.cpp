// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/optimize/trajectory_report.hpp"

#include <fmt/core.h>

namespace looptree::cli {

TrajectoryComparison compare_trajectories(std::span<const Pose> truth, std::span<const Pose> before,
                                          std::span<const Pose> after) {
  return {absolute_error(truth, before, Alignment::rigid),
          absolute_error(truth, after, Alignment::rigid),
          absolute_error(truth, before, Alignment::similarity),
          absolute_error(truth, after, Alignment::similarity),
          relative_error(truth, before),
          relative_error(truth, after)};
}

void print_comparison(const TrajectoryComparison& errors) {
  const auto row = [](const char* name, const ErrorStatistics& a, const ErrorStatistics& b) {
    fmt::print("  {:26} {:9.3f} {:9.3f} m rmse, a factor of {:.1f}\n", name, a.rmse, b.rmse,
               a.rmse / b.rmse);
  };
  fmt::print("against the truth               before     after\n");
  row("absolute, aligned", errors.rigid_before, errors.rigid_after);
  row("absolute, aligned, scaled", errors.similar_before, errors.similar_after);
  const RelativeError& a = errors.relative_before;
  const RelativeError& b = errors.relative_after;
  fmt::print("  {:26} {:9.4f} {:9.4f} m rmse\n  {:26} {:9.4f} {:9.4f} degrees rmse\n",
             "relative, frame to frame", a.translation_m.rmse, b.translation_m.rmse, "",
             a.rotation_deg.rmse, b.rotation_deg.rmse);
}

std::vector<PictureLine> draw_comparison(const TrajectoryComparison& errors,
                                         const std::vector<Pose>& truth,
                                         const std::vector<Pose>& before,
                                         const std::vector<Pose>& after) {
  const auto off = [](const char* name, const ErrorStatistics& error) {
    return fmt::format("{}, {:.2f} m off", name, error.rmse);
  };
  std::vector<Pose> driven;
  const Pose truth_from_odometry = compose(truth.front(), inverse(before.front()));
  for (const Pose& pose : before) driven.push_back(compose(truth_from_odometry, pose));
  return {{"truth", {.colour = colours::kRoute, .width = 3}, truth},
          {off("odometry", errors.rigid_before), kBeforeStroke, driven},
          {off("corrected", errors.rigid_after), kAfterStroke,
           transform_poses(align(truth, after, false), after)}};
}

}  // namespace looptree::cli
