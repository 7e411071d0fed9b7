// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/index/core/candidates.hpp"
#include "looptree/index/core/collector.hpp"
#include "looptree/index/search/rescorer.hpp"
#include "looptree/index/search/scan.hpp"

namespace looptree::detail {

/// Offers, with its exact score, every candidate whose score reaches the collector's threshold.
void search_frames(const FrameLayer& frames, const FixedView& query, const Candidates& candidates,
                   Collector& collector, Workspace& workspace);

/// Where a way to search takes frames from, and where those go that may be among the best.
struct FrameSearch {
  Scan& scan;
  Rescorer& rescorer;
  const Collector& collector;
};

/// Rescores every frame whose bound reaches the threshold, block by block: for a collector that
/// keeps all of them.
void search_above_threshold(const FrameSearch& search);

/// Bounds first, of all frames; then scores, from the best bound down, until no bound is left above
/// the scores found. With a threshold, too: a low one lets nearly all frames through.
void search_best_first(const FrameSearch& search);

}  // namespace looptree::detail
