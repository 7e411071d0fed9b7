// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "looptree/common/descriptors.hpp"

namespace looptree::detail {

/// The two nearest rows of another set.
struct TwoNearest {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t first = kNone;
  float first_distance = 0;
  float second_distance = 0;  ///< infinite if there is only one row
};

struct NearestBothWays {
  std::vector<TwoNearest> of_query;     ///< per row of the query, in the match
  std::vector<std::uint32_t> of_match;  ///< per row of the match, its nearest in the query
};

/// Compares all binary rows with all. Same answer at every SIMD level.
NearestBothWays nearest_hamming(DescriptorView query, DescriptorView match);

}  // namespace looptree::detail
