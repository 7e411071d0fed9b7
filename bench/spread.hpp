// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace looptree::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Milliseconds of many queries.
struct Spread {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
};

inline double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const std::ptrdiff_t at = std::lround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

inline Spread spread(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / static_cast<double>(std::max<std::size_t>(1, values.size())), quantile(values, 0.5),
          quantile(values, 0.95), quantile(values, 0.99)};
}

}  // namespace looptree::bench
