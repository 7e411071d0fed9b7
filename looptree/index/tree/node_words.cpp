// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/tree/node_words.hpp"

#include <vector>

namespace looptree::detail {

/// Exactly so much, since nodes are many and grow for a short time only.
void NodeWords::reserve(std::size_t size, bool high) {
  words_.reserve(size);
  low_.reserve(size);
  if (high) high_.reserve(size);
  if (high) high_.resize(low_.size(), 0);
}

void NodeWords::set(std::size_t i, std::uint32_t word, std::uint64_t value) noexcept {
  words_[i] = word;
  low_[i] = static_cast<std::uint32_t>(value);
  if (!high_.empty()) high_[i] = static_cast<std::uint32_t>(value >> 32);
}

std::vector<std::uint32_t> NodeWords::add(const FixedView& frame, Pooling pooling) {
  std::vector<std::uint32_t> fresh;
  bool high = !high_.empty();
  for (std::size_t i = 0, j = 0; j < frame.size(); ++j) {
    while (i < words_.size() && words_[i] < frame.words[j]) ++i;
    if (i == words_.size() || words_[i] != frame.words[j]) {
      fresh.push_back(frame.words[j]);
    } else {
      high |= pooling != Pooling::max && (value(i) + frame.weights[j]) >> 32 != 0;
    }
  }
  std::size_t from = words_.size();
  std::size_t to = from + fresh.size();
  reserve(to, high);
  words_.resize(to);
  low_.resize(to);
  if (high) high_.resize(to);
  // Merged from the back, in place: a word that is not new moves at most once.
  for (std::size_t j = frame.size(); j-- > 0;) {
    const std::uint32_t word = frame.words[j];
    while (from > 0 && words_[from - 1] > word) {
      --from;
      --to;
      set(to, words_[from], value(from));
    }
    std::uint64_t pooled = frame.weights[j];
    if (from > 0 && words_[from - 1] == word) {
      --from;
      pooled = pooling == Pooling::max ? std::max(value(from), pooled) : value(from) + pooled;
    }
    set(--to, word, pooled);
  }
  ++frames_;
  return fresh;
}

}  // namespace looptree::detail
