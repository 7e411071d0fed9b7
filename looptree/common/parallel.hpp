// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

#include "looptree/export.hpp"

namespace looptree {

/// The number of threads to use where the caller leaves it open (0): the machine's.
LOOPTREE_EXPORT std::size_t thread_count(std::size_t requested = 0);

/// Calls `body(i)` for every i in [0, count), on up to `threads` threads (0: all of the machine),
/// the calling one included. Items are handed out one by one, so they may differ in cost; which
/// thread runs which is not defined, so a deterministic result must not depend on it. The first
/// exception a body throws is thrown here once the bodies under way have ended; items not yet begun
/// are then dropped. A call from inside a body runs on that body's thread alone.
LOOPTREE_EXPORT void parallel_for(std::size_t count, std::size_t threads,
                                  const std::function<void(std::size_t)>& body);

}  // namespace looptree
