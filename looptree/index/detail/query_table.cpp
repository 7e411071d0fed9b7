// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/query_table.hpp"

#include <algorithm>
#include <bit>

namespace looptree::detail {

QueryTable::Memory& QueryTable::memory() {
  thread_local Memory memory{std::vector<std::uint64_t>(kTableWords / 64, 0),
                             std::vector<FixedWeight>(kTableWords, 0),
                             {}};
  return memory;
}

QueryTable::QueryTable(const Terms& query, std::uint32_t vocabulary_size, const WordUnits* units)
    : query_(query),
      units_(units),
      full_(vocabulary_size <= kTableWords),
      bits_(memory().bits.data()),
      weights_(memory().weights.data()) {
  for (const std::uint32_t word : query.words) {
    const std::uint32_t entry = word % kTableWords;
    bits_[entry / 64] |= std::uint64_t{1} << (entry % 64);
  }
  if (full_) {
    fill_full();
  } else {
    fill_hashed();
  }
}

QueryTable::~QueryTable() {
  for (const std::uint32_t word : query_.words) bits_[word % kTableWords / 64] = 0;
  if (full_) {
    for (const std::uint32_t word : query_.words) weights_[word] = 0;
  } else {
    std::fill(entries_, entries_ + mask_ + 1, Entry{});
  }
}

void QueryTable::fill_full() {
  for (std::size_t i = 0; i < query_.size(); ++i) weights_[query_.words[i]] = query_.weights[i];
}

void QueryTable::fill_hashed() {
  constexpr std::size_t kAhead = 32;  // units lie far apart
  // Half empty, so that a look is mostly one.
  const auto size =
      std::bit_ceil(std::max<std::uint32_t>(16, 2 * static_cast<std::uint32_t>(query_.size())));
  std::vector<Entry>& entries = memory().entries;
  if (entries.size() < size) entries.resize(size);
  entries_ = entries.data();
  mask_ = size - 1;
  shift_ = 32 - static_cast<std::uint32_t>(std::countr_zero(size));
  for (std::size_t i = 0; i < query_.size(); ++i) {
    if (units_ != nullptr && i + kAhead < query_.size()) {
      __builtin_prefetch(units_->data() + query_.words[i + kAhead]);
    }
    std::uint32_t at = home(query_.words[i]);
    while (entries_[at].weight != 0) at = (at + 1) & mask_;
    const double unit = units_ != nullptr ? (*units_)[query_.words[i]] : 0;
    entries_[at] = {query_.words[i], query_.weights[i], unit};
  }
}

const CompactQuery* QueryTable::compact() const {
  constexpr std::uint32_t kWorthMaking = 1;
  if (uses_ < kWorthMaking) {
    ++uses_;
    return nullptr;
  }
  if (!compact_ && compact_pays()) compact_.emplace(query_, dense(), units_->words());
  return compact_ ? &*compact_ : nullptr;
}

}  // namespace looptree::detail
