// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/index/topology.hpp"

namespace looptree::detail {

/// What a node has of each word, exactly: the maximum, or the sum, over the frames it pools.
class NodeWords {
 public:
  /// Returns the words that the node did not have before. If memory runs out, nothing has changed.
  std::vector<std::uint32_t> add(const FixedView& frame, Pooling pooling);

  std::uint32_t frames() const { return frames_; }
  const std::vector<std::uint32_t>& words() const { return words_; }
  /// The pooled weight of the i-th word. A mean counts every frame pooled so far.
  FixedWeight weight(std::size_t i, Pooling pooling) const {
    if (pooling == Pooling::mean) return static_cast<FixedWeight>(value(i) / frames_);
    // No query weight exceeds one, so neither need a sum.
    return static_cast<FixedWeight>(std::min<std::uint64_t>(value(i), kFixedOne));
  }
  std::size_t bytes() const {
    return (words_.capacity() + low_.capacity() + high_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  std::uint64_t value(std::size_t i) const {
    return low_[i] | (high_.empty() ? 0 : std::uint64_t{high_[i]} << 32);
  }
  void set(std::size_t i, std::uint32_t word, std::uint64_t value) noexcept;
  void reserve(std::size_t size, bool high);

  std::vector<std::uint32_t> words_;  // ascending
  // Sums of a few frames fit 32 bits; where one does not, the upper halves get an array, too.
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> high_;
  std::uint32_t frames_ = 0;
};

}  // namespace looptree::detail
