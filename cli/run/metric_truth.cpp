// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/run/metric_truth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/core.h>

namespace looptree::cli {
namespace {

/// The middle of chi-square with 6 degrees of freedom.
constexpr double kMedianChiSquare = 5.348;

/// The error in the frame of the query, as Information weighs it: metres, then radians.
std::array<double, 6> error_of(const Pose& found, const Pose& truth) {
  const Pose error = compose(inverse(found), truth);
  const auto q = quaternion(error.rotation);
  const double sine = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  const double scale = sine > 1e-12 ? 2 * std::atan2(sine, q[3]) / sine : 2;
  return {error.translation[0], error.translation[1], error.translation[2],
          scale * q[0],         scale * q[1],         scale * q[2]};
}

double chi_square(const MeasuredPose& measured, const Pose& truth) {
  const auto e = error_of(measured.pose, truth);
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) sum += e[i] * measured.information(i, j) * e[j];
  }
  return sum;
}

/// The value that `part` of them lie below.
double quantile(std::vector<double> values, double part) {
  const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace

void print_metric_truth(const SequenceInfo& info, const std::vector<Closure>& closures) {
  std::vector<double> metres;
  std::vector<double> parts;
  std::vector<double> degrees;
  std::vector<double> chi_squares;
  std::size_t with_length = 0;
  for (const Closure& closure : closures) {
    if (!closure.metric) continue;
    ++with_length;
    const auto& query = info.frames[closure.query].pose;
    const auto& match = info.frames[closure.match].pose;
    if (!query || !match) continue;
    const Pose truth = relative_pose(*match, *query);
    const Pose& found = closure.metric->match_from_query.pose;
    metres.push_back(distance(found, truth));
    parts.push_back(metres.back() / std::max(1e-9, distance(*match, *query)));
    degrees.push_back(angle_deg(found, truth));
    chi_squares.push_back(chi_square(closure.metric->match_from_query, truth));
  }
  if (with_length == 0) return;
  fmt::print("{} of {} closures with length\n", with_length, closures.size());
  if (metres.empty()) return;
  double mean = 0;
  for (const double value : chi_squares) mean += value / 6 / static_cast<double>(metres.size());
  fmt::print(
      "their error, median and p90: {:.3f} and {:.3f} m, {:.1f}% and {:.1f}% of the distance, "
      "{:.3f} and {:.3f} degrees\n"
      "chi-square, 1 if they are as sure as they say: {:.2f} by the median, {:.2f} by the mean\n",
      quantile(metres, 0.5), quantile(metres, 0.9), 100 * quantile(parts, 0.5),
      100 * quantile(parts, 0.9), quantile(degrees, 0.5), quantile(degrees, 0.9),
      quantile(chi_squares, 0.5) / kMedianChiSquare, mean);
}

}  // namespace looptree::cli
