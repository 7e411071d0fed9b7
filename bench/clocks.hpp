// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Two clocks, both in milliseconds since some moment: a figure is a difference.
#pragma once

#include <chrono>
#include <ctime>

namespace looptree::bench {

/// Processor time of this thread: what the work costs, whatever else the machine does.
inline double thread_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// Time on the wall: how long somebody waited.
inline double clock_ms() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace looptree::bench
