// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "looptree/common/random.hpp"

namespace looptree::bench {

inline constexpr std::size_t kBranching = 10;
inline constexpr std::size_t kDepth = 6;
inline constexpr std::size_t kBytes = 32;
using Row = std::array<std::uint64_t, kBytes / 8>;

/// Made-up descriptors.
class RandomRows : public Random {
 public:
  using Random::Random;

  Row row() { return {next(), next(), next(), next()}; }
  /// The row with about 256 / 2^halvings bits changed.
  Row near(Row row, int halvings) {
    for (std::uint64_t& word : row) {
      std::uint64_t mask = ~std::uint64_t{0};
      for (int i = 0; i < halvings; ++i) mask &= next();
      word ^= mask;
    }
    return row;
  }
};

}  // namespace looptree::bench
