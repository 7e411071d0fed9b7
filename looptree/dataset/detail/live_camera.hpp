// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "looptree/dataset/live.hpp"

namespace looptree::detail {

/// A camera or a stream, read on a thread of its own that keeps only the newest image.
std::unique_ptr<LiveSource> open_camera(const std::string& what, const LiveOptions& options);

/// Seconds since 1970 by the system's clock.
double wall_clock_s();

}  // namespace looptree::detail
