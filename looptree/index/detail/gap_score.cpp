// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/gap_score.hpp"

#include <algorithm>

#include "looptree/common/simd.hpp"
#include "looptree/index/detail/bitmap_score.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "looptree/index/detail/gap_score.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Compiled per machine for the sake of one instruction, which counts bits.
HWY_BEFORE_NAMESPACE();
namespace looptree::detail {
namespace HWY_NAMESPACE {

RankedQuery Rank(const Terms& query, const WordUnits* units, const std::uint64_t* bits,
                 RankedQuery::Memory& memory) {
  memory.before.resize(kGapBits / 64);
  std::uint32_t ranks = 0;
  for (std::size_t i = 0; i < memory.before.size(); ++i) {
    memory.before[i] = ranks;
    ranks += static_cast<std::uint32_t>(hwy::PopCount(bits[i]));
  }
  memory.entries.assign(query.size(), {});
  RankedQuery ranked{bits, memory.before.data(), memory.entries.data(), {}};
  std::size_t end = ranks;
  constexpr std::size_t kAhead = 32;  // units lie far apart
  for (std::size_t i = 0; i < query.size(); ++i) {
    const std::uint32_t word = query.words[i];
    if (units != nullptr && i + kAhead < query.size()) {
      __builtin_prefetch(units->data() + query.words[i + kAhead]);
    }
    const double unit = units != nullptr ? (*units)[word] : 0;
    RankedQuery::Entry& own = memory.entries[ranked.rank(word)];
    RankedQuery::Entry& entry = own.weight == 0 ? own : memory.entries[end++];
    entry = {word, query.weights[i], unit};
  }
  ranked.others = std::span<const RankedQuery::Entry>(memory.entries).subspan(ranks);
  return ranked;
}

FixedWeight SumOnce(std::span<const std::uint32_t> common, double factor,
                    const RankedQuery& query) {
  FixedWeight sum = 0;
  for (const std::uint32_t word : common) {
    const RankedQuery::Entry asked = query.find(word);
    sum += std::min(asked.weight, weight_of(1, asked.unit, factor));
  }
  return sum;
}

/// What words that occur more often add to that.
FixedWeight SumGains(const GapFrame& frame, const RankedQuery& query) {
  FixedWeight sum = 0;
  for (std::size_t at = 0; at < frame.repeats.size(); at += kRepeatBytes) {
    const std::uint32_t word = get_u32(&frame.repeats[at]);
    if (bit_of(query.bits, word) == 0) continue;
    const RankedQuery::Entry asked = query.find(word);
    sum += gain_of(frame.repeats[at + 4] + 2u, asked.unit, frame.factor, asked.weight);
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
HWY_EXPORT(SumGains);

namespace {

/// Room for the words that a frame and the query have in common.
std::uint32_t* common_memory(std::size_t words) {
  thread_local std::vector<std::uint32_t> memory;
  if (memory.size() < words + kGapSlack) memory.resize(words + kGapSlack);
  return memory.data();
}

/// Asked for again: of many prefetches at once a processor drops the last ones.
void prefetch(std::span<const std::uint8_t> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += 64) __builtin_prefetch(&bytes[at]);
}

}  // namespace

RankedQuery::Entry RankedQuery::other(std::uint32_t word) const {
  const auto found = std::lower_bound(others.begin(), others.end(), word,
                                      [](const Entry& a, std::uint32_t b) { return a.word < b; });
  return found != others.end() && found->word == word ? *found : Entry{};
}

RankedQuery make_ranked(const Terms& query, const WordUnits* units, const std::uint64_t* bits,
                        RankedQuery::Memory& memory) {
  prepare_simd();
  return HWY_DYNAMIC_DISPATCH(Rank)(query, units, bits, memory);
}

/// First the common words, without a branch; then the weights of those few.
FixedWeight score_gaps(const GapFrame& frame, const RankedQuery& query) {
  prefetch(frame.repeats);
  std::uint32_t* const common = common_memory(frame.words.terms);
  const std::size_t count = words_in(frame.words, query.bits, common);
  return HWY_DYNAMIC_DISPATCH(SumOnce)(std::span(common, count), frame.factor, query) +
         HWY_DYNAMIC_DISPATCH(SumGains)(frame, query);
}

}  // namespace looptree::detail
#endif  // HWY_ONCE
