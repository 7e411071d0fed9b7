// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/graph_export.hpp"

namespace looptree {

/// How errors are spread, by the names evo prints.
struct ErrorStatistics {
  double rmse = 0;
  double mean = 0;
  double median = 0;
  double std = 0;
  double min = 0;
  double max = 0;
};

/// What is done to an estimate before it is compared.
enum class Alignment {
  none,
  rigid,       ///< turned and moved: evo's --align
  similarity,  ///< scaled, too, as one camera alone needs: evo's --align --correct_scale
};

/// reference = scale * rotation * estimate + translation, for positions.
struct Similarity {
  Pose reference_from_estimate{};
  double scale = 1;
};

/// The least-squares alignment of positions (Umeyama, 1991), with or without scale. Throws
/// Error(invalid_argument) for numbers of poses that differ, fewer than 3 of them, or positions on
/// one line or in one place, which leave it open.
LOOPTREE_GRAPH_EXPORT Similarity align(std::span<const Pose> reference,
                                       std::span<const Pose> estimate, bool with_scale);
/// Applies it. Orientations are turned, never scaled.
LOOPTREE_GRAPH_EXPORT std::vector<Pose> transform_poses(const Similarity& similarity,
                                                        std::span<const Pose> poses);

/// Absolute trajectory error: metres between positions, as `evo_ape` computes it (translation
/// part). Throws as align() does; without alignment one pose is enough.
LOOPTREE_GRAPH_EXPORT ErrorStatistics absolute_error(std::span<const Pose> reference,
                                                     std::span<const Pose> estimate,
                                                     Alignment alignment = Alignment::rigid);

struct RelativeError {
  ErrorStatistics translation_m;
  ErrorStatistics rotation_deg;
};

/// Relative pose error over steps of `delta` frames, one after the other, as `evo_rpe --delta N
/// --delta_unit f` computes it (translation part, and angle in degrees). Throws
/// Error(invalid_argument) for numbers of poses that differ, delta 0, or no step so long.
LOOPTREE_GRAPH_EXPORT RelativeError relative_error(std::span<const Pose> reference,
                                                   std::span<const Pose> estimate,
                                                   std::size_t delta = 1);

}  // namespace looptree
