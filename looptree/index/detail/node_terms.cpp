// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/node_terms.hpp"

#include <vector>

namespace looptree::detail {

void NodeTerms::resize(std::size_t size) {
  // No more than that: nodes are many, and grow for a short time only.
  words_.reserve(size);
  low_.reserve(size);
  words_.resize(size);
  low_.resize(size);
  if (!high_.empty()) high_.resize(size);
}

void NodeTerms::set(std::size_t i, std::uint32_t word, std::uint64_t value) {
  if (value >> 32 != 0 && high_.empty()) high_.resize(low_.size(), 0);
  words_[i] = word;
  low_[i] = static_cast<std::uint32_t>(value);
  if (!high_.empty()) high_[i] = static_cast<std::uint32_t>(value >> 32);
}

std::vector<std::uint32_t> NodeTerms::add(const Terms& frame, Pooling pooling) {
  std::vector<std::uint32_t> fresh;
  for (std::size_t i = 0, j = 0; j < frame.size(); ++j) {
    while (i < words_.size() && words_[i] < frame.words[j]) ++i;
    if (i == words_.size() || words_[i] != frame.words[j]) {
      fresh.push_back(frame.words[j]);
    }
  }
  // Merged from the back, in place: whoever is not new moves at most once.
  std::size_t from = words_.size();
  std::size_t to = from + fresh.size();
  resize(to);
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

FixedWeight NodeTerms::score(const QueryTable& query, Pooling pooling) const {
  // First which words are common, without branches: nobody could guess. Then what they weigh, since
  // a mean takes a division.
  thread_local std::vector<std::uint32_t> common;
  if (common.size() <= words_.size()) common.resize(words_.size() + 1);
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    common[count] = i;
    count += query.may_have(words_[i]);
  }
  FixedWeight sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += std::min(query.weight(words_[common[i]]), weight(common[i], pooling));
  }
  return sum;
}

}  // namespace looptree::detail
