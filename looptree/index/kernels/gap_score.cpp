// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/kernels/gap_score.hpp"

#include <algorithm>

#include "looptree/index/core/weights.hpp"
#include "looptree/index/kernels/dispatch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/kernels/gap_score.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Compiled per machine for the sake of one instruction, which counts bits.
HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

RankedQuery Rank(const FixedView& query, const IdfTable* idf, const std::uint64_t* bits,
                 Workspace& workspace) {
  RankedQuery ranked{
      bits,
      scratch<std::uint32_t>(workspace, kGapBits / 64),
      {query.size(), RankedQuery::Entry{}, ScratchAllocator<RankedQuery::Entry>(workspace)},
      {}};
  std::uint32_t ranks = 0;
  for (std::size_t i = 0; i < ranked.before.size(); ++i) {
    ranked.before[i] = ranks;
    ranks += static_cast<std::uint32_t>(hwy::PopCount(bits[i]));
  }
  std::size_t end = ranks;
  constexpr std::size_t kAhead = 32;  // idf of words lie far apart
  for (std::size_t i = 0; i < query.size(); ++i) {
    const std::uint32_t word = query.words[i];
    if (idf != nullptr && i + kAhead < query.size()) {
      __builtin_prefetch(idf->data() + query.words[i + kAhead]);
    }
    RankedQuery::Entry& own = ranked.entries[ranked.rank(word)];
    RankedQuery::Entry& entry = own.weight == 0 ? own : ranked.entries[end++];
    entry = {word, query.weights[i], idf != nullptr ? (*idf)[word] : 0};
  }
  ranked.others = std::span<const RankedQuery::Entry>(ranked.entries).subspan(ranks);
  return ranked;
}

FixedWeight SumOnce(std::span<const std::uint32_t> common, double factor,
                    const RankedQuery& query) {
  FixedWeight sum = 0;
  for (const std::uint32_t word : common) {
    const RankedQuery::Entry asked = query.find(word);
    sum += std::min(asked.weight, weight_of(1, asked.idf, factor));
  }
  return sum;
}

/// What repeated words add to that.
FixedWeight SumSurplus(const GapFrame& frame, const RankedQuery& query) {
  FixedWeight sum = 0;
  for (std::size_t at = 0; at < frame.repeats.size(); at += kRepeatedBytes) {
    const std::uint32_t word = get_u32(&frame.repeats[at]);
    if (bit_of(query.bits, word) == 0) continue;
    const RankedQuery::Entry asked = query.find(word);
    sum += surplus_of(frame.repeats[at + 4] + 2u, asked.idf, frame.factor, asked.weight);
  }
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace looptree::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace looptree::detail {

HWY_EXPORT(Rank);
HWY_EXPORT(SumOnce);
HWY_EXPORT(SumSurplus);

namespace {

/// Once more: of many prefetches at once a processor drops the last ones.
void prefetch(std::span<const std::uint8_t> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += 64) __builtin_prefetch(&bytes[at]);
}

}  // namespace

RankedQuery::Entry RankedQuery::other(std::uint32_t word) const {
  const auto found = std::lower_bound(others.begin(), others.end(), word,
                                      [](const Entry& a, std::uint32_t b) { return a.word < b; });
  return found != others.end() && found->word == word ? *found : Entry{};
}

RankedQuery make_ranked(const FixedView& query, const IdfTable* idf, const std::uint64_t* bits,
                        Workspace& workspace) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(Rank)(query, idf, bits, workspace);
}

/// First the common words, without a branch; then the weights of those few.
FixedWeight score_gaps(const GapFrame& frame, const RankedQuery& query, Workspace& workspace) {
  prefetch(frame.repeats);
  std::uint32_t* const common = workspace.numbers(frame.words.words + kGapSlack);
  const std::size_t count = words_in(frame.words, query.bits, common);
  return HWY_DYNAMIC_DISPATCH(SumOnce)(std::span(common, count), frame.factor, query) +
         HWY_DYNAMIC_DISPATCH(SumSurplus)(frame, query);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
