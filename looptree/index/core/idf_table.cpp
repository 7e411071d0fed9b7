// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/core/idf_table.hpp"

#include <cmath>

namespace looptree::detail {
namespace {

float rounded_up(double value) {
  const auto near = static_cast<float>(value);
  return near < value ? std::nextafter(near, INFINITY) : near;
}

}  // namespace

IdfTable::IdfTable(std::span<const double> word_weights, std::uint32_t vocabulary_size)
    : values_(2 * std::size_t{vocabulary_size}, 1.0), above_(vocabulary_size, 1.0F) {
  for (std::size_t word = 0; word < word_weights.size(); ++word) {
    const double idf = word_weights[word];
    if (!(idf > 0) || !std::isfinite(idf)) continue;
    values_[word] = idf;
    values_[vocabulary_size + word] = 1 / idf;
    above_[word] = rounded_up(idf);
  }
}

}  // namespace looptree::detail
