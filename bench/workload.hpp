// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "looptree/histogram/histogram.hpp"

namespace looptree::bench {

/// A map to build and questions to put to it.
struct Workload {
  std::string name;
  std::vector<double> word_weights;
  std::uint32_t frames = 0;
  /// Frame i of the map, made when asked for: a million of them would not fit in memory.
  std::function<Histogram(std::uint32_t)> frame;
  std::vector<Histogram> positives;  ///< of places in the map
  std::vector<Histogram> negatives;  ///< of places elsewhere
  /// Smallest threshold without a false alarm on KITTI 00 with a vocabulary of this size.
  double threshold = 0;
};

/// Whether the workload's files, if it needs any, are there.
bool is_at_hand(const std::string& name);

/// `kitti-10k` and `kitti-1m`: the words of KITTI 00, asked with frames held out of it and with
/// those of KITTI 02. `stream-10k` and `stream-1m`: the made-up drive, of any length.
/// `words:FILE:OTHER`: a word file (docs/formats/words.md) of a route, every twentieth frame of
/// which is held out as a positive query, and one of another place with the same vocabulary, for
/// negatives. Throws Error for other names and unreadable files.
Workload make_workload(const std::string& name, std::uint32_t frames, std::size_t queries);

}  // namespace looptree::bench
