// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/query_table.hpp"

#include <algorithm>

namespace looptree::detail {

QueryTable::Memory& QueryTable::memory() {
  thread_local Memory memory{
      std::vector<std::uint64_t>(kGapBits / 64, 0), std::vector<FixedWeight>(kTableWords, 0), {}};
  return memory;
}

QueryTable::QueryTable(const Terms& query, std::uint32_t vocabulary_size, const WordUnits* units)
    : query_(query),
      units_(units),
      full_(vocabulary_size <= kTableWords),
      bits_(memory().bits.data()),
      bits_used_((std::min(vocabulary_size, kGapBits) + 63) / 64),
      weights_(memory().weights.data()) {
  if (full_) {
    fill();
    return;
  }
  for (const std::uint32_t word : query.words) {
    bits_[word % kGapBits / 64] |= std::uint64_t{1} << (word % 64);
  }
  ranked();
}

/// Words come in order, so those that share 64 bits do so in a run: what is set of them so far need
/// not be read back.
void QueryTable::fill() {
  std::uint32_t at = 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < query_.size(); ++i) {
    const std::uint32_t word = query_.words[i];
    bits = word / 64 == at ? bits : 0;
    bits |= std::uint64_t{1} << (word % 64);
    at = word / 64;
    bits_[at] = bits;
    weights_[word] = query_.weights[i];
  }
}

QueryTable::~QueryTable() {
  std::fill(bits_, bits_ + bits_used_, 0);
}

const RankedQuery& QueryTable::ranked() const {
  if (!ranked_) ranked_ = make_ranked(query_, units_, bits_, memory().ranked);
  return *ranked_;
}

const CompactQuery* QueryTable::compact() const {
  if (uses_ < kWorthMaking) {
    ++uses_;
    return nullptr;
  }
  if (!compact_ && compact_pays()) compact_.emplace(query_, dense(), units_->words());
  return compact_ ? &*compact_ : nullptr;
}

}  // namespace looptree::detail
