// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/graph/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <numbers>

#include "looptree/common/error.hpp"
#include "looptree/common/random.hpp"
#include "looptree/graph/detail/text_rows.hpp"

namespace looptree {
namespace {

using detail::TextRow;

constexpr double kRadians = std::numbers::pi / 180;

/// Far from orthogonal is no rotation; files with few digits are a little off.
bool is_rotation(const std::array<double, 9>& r) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i; j < 3; ++j) {
      double dot = 0;
      for (std::size_t k = 0; k < 3; ++k) dot += r[3 * i + k] * r[3 * j + k];
      if (!(std::abs(dot - (i == j ? 1 : 0)) < 1e-2)) return false;
    }
  }
  const double determinant = r[0] * (r[4] * r[8] - r[5] * r[7]) -
                             r[1] * (r[3] * r[8] - r[5] * r[6]) +
                             r[2] * (r[3] * r[7] - r[4] * r[6]);
  return determinant > 0;
}

/// Normally distributed numbers that are the same everywhere.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}
  double next() {
    const double radius = std::sqrt(-2 * std::log(1 - random_.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random_.uniform());
  }
  std::array<double, 3> vector(double sigma) {
    const double x = next();
    const double y = next();
    return {sigma * x, sigma * y, sigma * next()};
  }

 private:
  Random random_;
};

}  // namespace

std::vector<TimedPose> parse_tum(std::string_view text, std::string_view name) {
  std::vector<TimedPose> trajectory;
  for (const TextRow& row : detail::text_rows(text)) {
    if (row.tag == "#") continue;
    if (!row.is_whole || !row.tag.empty() || row.numbers.size() != 8) {
      detail::refuse_row(row, name, "a row 'time tx ty tz qx qy qz qw'");
    }
    trajectory.push_back({row.numbers[0], detail::pose_in(row, 1, name)});
  }
  return trajectory;
}

std::vector<TimedPose> read_tum(const std::filesystem::path& path) {
  return parse_tum(detail::read_text(path), path.string());
}

void write_tum(const std::filesystem::path& path, std::span<const TimedPose> trajectory) {
  std::ofstream file = detail::create_text(path);
  file << "# time tx ty tz qx qy qz qw\n" << std::fixed << std::setprecision(9);
  for (const TimedPose& timed : trajectory) {
    file << timed.time_s;
    for (const double value : timed.pose.translation) file << ' ' << value;
    for (const double value : quaternion(timed.pose.rotation)) file << ' ' << value;
    file << '\n';
  }
  detail::close_text(file, path);
}

std::vector<Pose> parse_kitti(std::string_view text, std::string_view name) {
  std::vector<Pose> poses;
  for (const TextRow& row : detail::text_rows(text)) {
    if (row.tag == "#") continue;
    if (!row.is_whole || !row.tag.empty() || row.numbers.size() != 12) {
      detail::refuse_row(row, name, "12 numbers of a 3 x 4 matrix");
    }
    const auto& n = row.numbers;
    const Pose pose{{n[0], n[1], n[2], n[4], n[5], n[6], n[8], n[9], n[10]}, {n[3], n[7], n[11]}};
    if (!is_rotation(pose.rotation)) detail::refuse_row(row, name, "a rotation and a translation");
    poses.push_back(pose);
  }
  return poses;
}

std::vector<Pose> read_kitti(const std::filesystem::path& path) {
  return parse_kitti(detail::read_text(path), path.string());
}

void write_kitti(const std::filesystem::path& path, std::span<const Pose> poses) {
  std::ofstream file = detail::create_text(path);
  file << std::scientific << std::setprecision(9);
  for (const Pose& pose : poses) {
    const auto& r = pose.rotation;
    for (std::size_t row = 0; row < 3; ++row) {
      file << r[3 * row] << ' ' << r[3 * row + 1] << ' ' << r[3 * row + 2] << ' '
           << pose.translation[row] << (row == 2 ? '\n' : ' ');
    }
  }
  detail::close_text(file, path);
}

std::vector<TimePair> associate(std::span<const double> first_s, std::span<const double> second_s,
                                double max_gap_s) {
  std::vector<TimePair> pairs;
  for (std::size_t i = 0; i < first_s.size(); ++i) {
    const auto after = std::lower_bound(second_s.begin(), second_s.end(), first_s[i]);
    auto nearest = static_cast<std::size_t>(after - second_s.begin());
    if (nearest == second_s.size() ||
        (nearest > 0 && first_s[i] - second_s[nearest - 1] < second_s[nearest] - first_s[i])) {
      if (nearest == 0) continue;
      --nearest;
    }
    if (std::abs(second_s[nearest] - first_s[i]) <= max_gap_s) pairs.push_back({i, nearest});
  }
  return pairs;
}

std::vector<Pose> drift(std::span<const Pose> truth, const DriftOptions& options) {
  Noise noise(options.seed);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (i == 0) {
      poses.push_back(truth[0]);
      continue;
    }
    Pose step = relative_pose(truth[i - 1], truth[i]);
    const double way = std::sqrt(distance(truth[i - 1], truth[i]));
    for (double& value : step.translation) value *= 1 + options.scale;
    const auto moved = noise.vector(options.translation * way);
    const Pose error{rotation_about(noise.vector(options.rotation_deg * kRadians * way)), moved};
    poses.push_back(compose(poses.back(), compose(step, error)));
    // What is not quite a rotation in a file would be one less and less.
    poses.back().rotation = rotation_of(quaternion(poses.back().rotation));
  }
  return poses;
}

}  // namespace looptree
