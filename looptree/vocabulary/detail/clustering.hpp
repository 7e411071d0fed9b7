// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/vocabulary/detail/kernels.hpp"

namespace looptree::detail {

/// Numbers that look random and are the same everywhere.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

struct Clusters {
  std::vector<std::byte> centres;         ///< as rows; none is without members
  std::vector<std::uint32_t> assignment;  ///< the centre nearest to each row
  std::size_t count = 0;
};

/// Up to `count` clusters of the rows (at least one row), fewer if fewer differ. On one thread.
Clusters cluster(const Rows& rows, std::size_t count, std::size_t max_iterations,
                 SplitMix64 random);

}  // namespace looptree::detail
