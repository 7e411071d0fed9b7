// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "looptree/export.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/topology.hpp"

namespace looptree {

/// Groups of `size` items drawn at random, the last one perhaps smaller; the same for the same seed
/// on every machine. Throws Error(invalid_argument) if size is 0.
LOOPTREE_EXPORT Groups random_groups(std::size_t items, std::size_t size, std::uint64_t seed);

/// Groups of `size` by affinity, greedily: the lowest item not yet in a group takes the size - 1
/// free items with the highest intersection with it (ties to the lower one), and so on. The
/// histograms are L1-normalised. Throws Error(invalid_argument) if size is 0 or a histogram is
/// empty. Cost: one index query per group.
LOOPTREE_EXPORT Groups affinity_groups(std::span<const Histogram> histograms, std::size_t size);

/// Groups by label, numbered in order of first appearance.
LOOPTREE_EXPORT Groups label_groups(std::span<const std::uint32_t> labels);

/// The pooled histogram of every group, word by word, not normalised. Throws
/// Error(invalid_argument) unless there is one group number per histogram.
LOOPTREE_EXPORT std::vector<Histogram> pool(std::span<const Histogram> histograms,
                                            const Groups& groups, Pooling pooling);

}  // namespace looptree
