// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "looptree/evaluate/run_folder.hpp"
#include "looptree/evaluate_export.hpp"

namespace looptree::evaluate {

/// A table of all variants of all runs, one line each, in Markdown that also reads well as plain
/// text. Ratios are against the first variant of the same run: of quality, and of the time-cost
/// rate in ms per 1,000 images, where above 1 is faster (metric "speedup", add_time_metrics()).
/// A time is never shown without the quality it was had at: a line without recall, score or map has
/// no times either. Throws Error(invalid_argument) for no runs.
LOOPTREE_EVALUATE_EXPORT std::string compare(std::span<const Run> runs);

}  // namespace looptree::evaluate
