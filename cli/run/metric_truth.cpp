// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/run/metric_truth.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

#include "looptree/common/squared_error.hpp"

namespace looptree::cli {
namespace {

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
    chi_squares.push_back(squared_error(closure.metric->match_from_query, truth));
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
      quantile(chi_squares, 0.5) / kMedianSquaredError, mean);
}

}  // namespace looptree::cli
