// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/search/query_lookup.hpp"

#include <algorithm>

namespace looptree::detail {

QueryLookup::QueryLookup(const FixedView& query, std::uint32_t vocabulary_size, const IdfTable* idf,
                         Workspace& workspace)
    : query_(query),
      idf_(idf),
      workspace_(workspace),
      full_(vocabulary_size <= kBitmapWords),
      bits_used_((std::min(vocabulary_size, kGapBits) + 63) / 64) {
  workspace.query_bits.resize(kGapBits / 64, 0);
  workspace.query_weights.resize(kBitmapWords);
  bits_ = workspace.query_bits.data();
  weights_ = workspace.query_weights.data();
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
void QueryLookup::fill() {
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

QueryLookup::~QueryLookup() {
  std::fill(bits_, bits_ + bits_used_, 0);
}

const RankedQuery& QueryLookup::ranked() {
  if (!ranked_) ranked_ = make_ranked(query_, idf_, bits_, workspace_);
  return *ranked_;
}

const CompactQuery* QueryLookup::compact() {
  if (scored_ < kWorthMaking) {
    ++scored_;
    return nullptr;
  }
  if (!compact_ && compact_pays()) {
    const DenseQuery dense{bits_, weights_, idf_->data()};
    compact_.emplace(query_, dense, idf_->words(), workspace_);
  }
  return compact_ ? &*compact_ : nullptr;
}

FixedWeight QueryLookup::score(const ForwardEntry& frame) {
  switch (frame.form()) {
    case ForwardEntry::Form::bitmap:
      return score_bitmap(frame.bitmap(), {bits_, weights_, idf_->data()}, compact(), workspace_);
    case ForwardEntry::Form::gaps:
      return score_gaps(frame.gaps(), ranked(), workspace_);
    default:
      return score_weights(frame);
  }
}

FixedWeight QueryLookup::score_weights(const ForwardEntry& frame) const {
  FixedWeight sum = 0;
  frame.for_each_weight([&](std::uint32_t word, FixedWeight weight_in_frame) {
    if (may_have(word) != 0) sum += std::min(weight(word), weight_in_frame);
  });
  return sum;
}

}  // namespace looptree::detail
