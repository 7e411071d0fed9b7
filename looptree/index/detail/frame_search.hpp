// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/index/detail/collector.hpp"
#include "looptree/index/detail/frame_scorer.hpp"
#include "looptree/index/detail/search_parts.hpp"

namespace looptree::detail {

/// Where a way to search takes frames from, and where those go that may be among the best.
struct FrameSearch {
  SearchParts& parts;
  FrameScorer& scorer;
  const Collector& collector;
};

/// Scores every frame whose bound reaches the threshold, block by block: for a collector that keeps
/// all of them.
void search_above_threshold(const FrameSearch& search);

/// Bounds first, of all frames; then scores, from the best bound down, until no bound is left above
/// the scores found. With a threshold, too: a low one lets nearly all frames through.
void search_best_first(const FrameSearch& search);

}  // namespace looptree::detail
