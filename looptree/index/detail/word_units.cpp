// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/word_units.hpp"

#include <cmath>

namespace looptree::detail {

WordUnits::WordUnits(std::span<const double> word_weights, std::uint32_t vocabulary_size)
    : values_(2 * std::size_t{vocabulary_size}, 1.0) {
  for (std::size_t word = 0; word < word_weights.size(); ++word) {
    const double unit = word_weights[word];
    if (!(unit > 0) || !std::isfinite(unit)) continue;
    values_[word] = unit;
    values_[vocabulary_size + word] = 1 / unit;
  }
}

}  // namespace looptree::detail
