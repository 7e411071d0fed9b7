// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <ctime>

namespace looptree {

/// Processor time that this thread has used, in milliseconds, where the system tells it: what else
/// runs on the machine does not count.
inline double thread_ms() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
#else
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
#endif
}

}  // namespace looptree
