// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include <time.h>

namespace looptree::bench {

double milliseconds(clockid_t clock, const std::function<void()>& work);

/// Runs the works in turn, several times, and returns the median time of each.
std::vector<double> interleaved(clockid_t clock, int rounds,
                                const std::vector<std::function<void()>>& works);

/// A line of /proc/self/status in MB; 0 where there is none.
double memory_mb(const char* key);

}  // namespace looptree::bench
