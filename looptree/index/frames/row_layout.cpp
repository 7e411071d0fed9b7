// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/frames/row_layout.hpp"

#include <algorithm>
#include <utility>

namespace looptree::detail {
namespace {

/// A number of its own for every word, in no order.
std::uint32_t scattered(std::uint32_t word) {
  constexpr std::uint32_t kOdd = 2654435761u;  // 2^32 over the golden ratio
  return word * kOdd;
}

}  // namespace

RowLayout::RowLayout(std::vector<std::uint32_t> words, Table room)
    : words_(std::move(words)), line_plus_1_(std::move(room)) {
  std::sort(words_.begin(), words_.end(),
            [](std::uint32_t a, std::uint32_t b) { return scattered(a) < scattered(b); });
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  for (std::uint32_t row = 0; row < words_.size(); ++row) line_plus_1_[words_[row]] = row + 2;
}

}  // namespace looptree::detail
