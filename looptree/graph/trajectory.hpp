// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// A pose with its time, as TUM's files have it.
struct TimedPose {
  double time_s = 0;
  Pose pose{};
  friend bool operator==(const TimedPose&, const TimedPose&) = default;
};

/// Trajectories as evo and the datasets' own tools read them. Poses are world_from_camera.
///   TUM    a row 'time tx ty tz qx qy qz qw' per pose; rows that begin with # are comments
///   KITTI  a row of 12 numbers per pose, the 3 x 4 matrix row by row; no times
/// Readers throw Error(not_found) without the file and Error(corruption), with the number of the
/// line, for a row that is none, numbers that are not finite, a quaternion of length 0, a matrix
/// that is no rotation. A file without rows is an empty trajectory. `name` stands in messages.
/// Writers throw Error(io) if the file cannot be written. Numbers keep 9 decimals.
LOOPTREE_EXPORT std::vector<TimedPose> read_tum(const std::filesystem::path& path);
LOOPTREE_EXPORT std::vector<TimedPose> parse_tum(std::string_view text, std::string_view name = "");
LOOPTREE_EXPORT void write_tum(const std::filesystem::path& path,
                               std::span<const TimedPose> trajectory);

LOOPTREE_EXPORT std::vector<Pose> read_kitti(const std::filesystem::path& path);
LOOPTREE_EXPORT std::vector<Pose> parse_kitti(std::string_view text, std::string_view name = "");
LOOPTREE_EXPORT void write_kitti(const std::filesystem::path& path, std::span<const Pose> poses);

/// Which pose of one trajectory was taken when one of another was.
struct TimePair {
  std::size_t first = 0;
  std::size_t second = 0;
  friend bool operator==(const TimePair&, const TimePair&) = default;
};

/// For every time of `first` the nearest of `second`, where they are at most `max_gap_s` apart.
/// `second` is sorted. Cost: a binary search each.
LOOPTREE_EXPORT std::vector<TimePair> associate(std::span<const double> first_s,
                                                std::span<const double> second_s,
                                                double max_gap_s = 0.02);

/// How a made-up odometry goes wrong; for tests and demonstrations. Standard deviations grow with
/// the square root of the way, as errors of steps that know nothing of each other do.
struct DriftOptions {
  double translation = 0.02;  ///< metres per square root of a metre, along each axis; >= 0
  double rotation_deg = 0.1;  ///< degrees per square root of a metre, about each axis; >= 0
  double scale = 0;           ///< of all steps, off by this part; 0.01 is 1% too long
  std::uint64_t seed = 1;
};

/// The trajectory that an odometry with such errors would give; the first pose stays. The same
/// options give the same errors on every machine.
LOOPTREE_EXPORT std::vector<Pose> drift(std::span<const Pose> truth,
                                        const DriftOptions& options = {});

}  // namespace looptree
