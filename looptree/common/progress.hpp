// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

#include "looptree/common/error.hpp"

namespace looptree {

/// Told now and then how far a long job has come: `done` of `total` steps. Returning false asks the
/// job to stop, which it does soon, with Error(cancelled) and nothing half made. It is called from
/// one thread at a time. An empty function hears nothing and never cancels.
using ProgressCallback = std::function<bool(std::size_t done, std::size_t total)>;

/// Reports to `progress`, if there is one, and throws Error(cancelled) if it says so.
inline void report(const ProgressCallback& progress, std::size_t done, std::size_t total) {
  if (progress && !progress(done, total)) throw Error(ErrorKind::cancelled, "stopped on request");
}

}  // namespace looptree
