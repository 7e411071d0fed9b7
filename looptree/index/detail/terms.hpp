// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "looptree/histogram/fixed_point.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree::detail {

/// A histogram as the index sees it: sorted words and fixed-point weights, none of them zero.
struct Terms {
  std::span<const std::uint32_t> words;
  std::span<const FixedWeight> weights;
  std::size_t size() const { return words.size(); }
};

/// The same, owned.
struct OwnedTerms {
  std::vector<std::uint32_t> words;
  std::vector<FixedWeight> weights;
  Terms view() const { return {words, weights}; }
};

/// Checks the contract of PooledIndex::insert() and rounds the weights; throws
/// Error(invalid_argument) where it does not hold.
OwnedTerms checked_terms(const Histogram& histogram, std::uint32_t vocabulary_size);

Histogram to_histogram(const Terms& terms);

/// Sum of minima over the common words.
FixedWeight intersect(const Terms& a, const Terms& b);

}  // namespace looptree::detail
