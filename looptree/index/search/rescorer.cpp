// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/search/rescorer.hpp"

#include <algorithm>

namespace looptree::detail {
namespace {

/// Forward entries lie anywhere in memory, so they are fetched in time; before that, what says
/// where.
constexpr std::size_t kAhead = 4;
constexpr std::size_t kHeadAhead = 2 * kAhead;

void prefetch(const Survivor& survivor) {
  survivor.segment->forward(survivor.slot).prefetch();
}

void prefetch_head(const Survivor& survivor) {
  __builtin_prefetch(&survivor.segment->forward(survivor.slot));
}

}  // namespace

void Rescorer::offer(const Segment& segment, std::uint32_t slot) {
  collector_.offer(segment.id(slot), lookup().score(segment.forward(slot)));
}

QueryLookup& Rescorer::lookup() {
  if (!lookup_) lookup_.emplace(query_, idf_.words(), &idf_, workspace_);
  return *lookup_;
}

void Rescorer::offer(const std::vector<Survivor>& survivors) {
  const std::size_t size = survivors.size();
  if (size == 0) return;
  // These are on their way while the lookup is made.
  for (std::size_t i = 0; i < std::min(kHeadAhead, size); ++i) prefetch_head(survivors[i]);
  for (std::size_t i = 0; i < std::min(kAhead, size); ++i) prefetch(survivors[i]);
  lookup().expect(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (i + kHeadAhead < size) prefetch_head(survivors[i + kHeadAhead]);
    if (i + kAhead < size) prefetch(survivors[i + kAhead]);
    const Survivor& survivor = survivors[i];
    if (survivor.bound >= collector_.threshold()) offer(*survivor.segment, survivor.slot);
  }
}

void Rescorer::offer_best_first(std::vector<Survivor>& survivors) {
  const auto higher = [](const Survivor& a, const Survivor& b) { return a.bound > b.bound; };
  // A few at a time: most of the order is never needed.
  constexpr std::size_t kAtOnce = 32;
  std::vector<Survivor> some;
  for (auto begin = survivors.begin(); begin != survivors.end();) {
    const auto left = static_cast<std::size_t>(survivors.end() - begin);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kAtOnce, left));
    std::partial_sort(begin, end, survivors.end(), higher);
    if (begin->bound < collector_.threshold()) return;
    some.assign(begin, end);
    offer(some);
    begin = end;
  }
}

}  // namespace looptree::detail
