// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/histogram/l1_query.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace looptree {
namespace {

/// Without the processor's own instruction, which not every build may use, the library's is a call.
inline std::uint32_t count_bits(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return static_cast<std::uint32_t>(bits * 0x0101010101010101u >> 56);
}

}  // namespace

L1Query::L1Query(const Histogram& query) : query_(query) {
  if (query.empty()) return;
  bits_.resize(query.words().back().value / 64 + 1);
  ranks_.resize(bits_.size());
  for (const WordId word : query.words()) {
    bits_[word.value / 64] |= std::uint64_t{1} << (word.value % 64);
  }
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    ranks_[i] = rank;
    rank += count_bits(bits_[i]);
  }
}

/// First which words are common, without a branch on the data; then the sum over those few.
double L1Query::score(const Histogram& other) const {
  thread_local std::vector<std::uint32_t> common;
  if (common.size() <= other.size()) common.resize(other.size() + 1);
  const WordId end{static_cast<std::uint32_t>(bits_.size() * 64)};
  const auto words = other.words();
  const auto last =
      static_cast<std::size_t>(std::lower_bound(words.begin(), words.end(), end) - words.begin());
  std::uint32_t* next = common.data();
  for (std::size_t i = 0; i < last; ++i) {
    *next = static_cast<std::uint32_t>(i);
    next += bits_[words[i].value / 64] >> (words[i].value % 64) & 1;
  }
  double excess = 0;
  for (const std::uint32_t* one = common.data(); one != next; ++one) {
    const std::uint32_t word = words[*one].value;
    const std::uint64_t before = bits_[word / 64] & ((std::uint64_t{1} << (word % 64)) - 1);
    const double x = query_.weights()[ranks_[word / 64] + count_bits(before)];
    const double y = other.weights()[*one];
    excess += std::abs(x - y) - x - y;
  }
  return -excess / 2 + 0.0;  // + 0.0: no common word is 0, not -0
}

}  // namespace looptree
