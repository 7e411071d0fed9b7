// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "bench/vocabulary/timing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace looptree::bench {

double milliseconds(clockid_t clock, const std::function<void()>& work) {
  const auto now = [clock] {
    timespec time = {};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  const double start = now();
  work();
  return now() - start;
}

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

std::vector<double> interleaved(clockid_t clock, int rounds,
                                const std::vector<std::function<void()>>& works) {
  std::vector<std::vector<double>> times(works.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < works.size(); ++i)
      times[i].push_back(milliseconds(clock, works[i]));
  }
  std::vector<double> medians;
  medians.reserve(times.size());
  for (const auto& each : times) medians.push_back(median(each));
  return medians;
}

double memory_mb(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::atof(line.c_str() + std::strlen(key) + 1) / 1e3;
  }
  return 0;
}

}  // namespace looptree::bench
