// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/row_layout.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace looptree::detail {

RowLayout::RowLayout(std::vector<std::uint32_t> words, const WordUnits& units)
    : words_(std::move(words)), places_(units.words()) {
  for (std::uint32_t word = 0; word < places_.size(); ++word) {
    const auto unit = static_cast<float>(units[word]);
    places_[word] = {kNoRow, unit < units[word] ? std::nextafter(unit, INFINITY) : unit};
  }
  std::sort(words_.begin(), words_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return units[a] != units[b] ? units[a] > units[b] : a < b;
  });
  for (std::uint32_t row = 0; row < words_.size(); ++row) places_[words_[row]].line = row + 1;
}

}  // namespace looptree::detail
