// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/frame_scorer.hpp"

#include <algorithm>

namespace looptree::detail {
namespace {

/// Forward lists lie anywhere in memory, so they are asked for in time; before that, what says
/// where.
constexpr std::size_t kAhead = 4;
constexpr std::size_t kHeadAhead = 2 * kAhead;

void prefetch(const Suspect& suspect) {
  suspect.segment->forward(suspect.slot).prefetch();
}

void prefetch_head(const Suspect& suspect) {
  __builtin_prefetch(&suspect.segment->forward(suspect.slot));
}

/// Those that are visited first. To be called as early as may be.
void prefetch_first(const std::vector<Suspect>& suspects) {
  const std::size_t size = suspects.size();
  for (std::size_t i = 0; i < std::min(kHeadAhead, size); ++i) prefetch_head(suspects[i]);
  for (std::size_t i = 0; i < std::min(kAhead, size); ++i) prefetch(suspects[i]);
}

/// Visits all of them in order, and asks for the next ones meanwhile.
template <typename Visit>
void visit_all(const std::vector<Suspect>& suspects, Visit visit) {
  const std::size_t size = suspects.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (i + kHeadAhead < size) prefetch_head(suspects[i + kHeadAhead]);
    if (i + kAhead < size) prefetch(suspects[i + kAhead]);
    visit(suspects[i]);
  }
}

}  // namespace

void FrameScorer::offer(const Segment& segment, std::uint32_t slot) {
  const ForwardList& forward = segment.forward(slot);
  if (forward.empty()) return;
  collector_.offer(segment.id(slot), forward.score(table()));
}

QueryTable& FrameScorer::table() {
  if (!table_) table_.emplace(query_, units_.words(), &units_);
  return *table_;
}

void FrameScorer::offer(const std::vector<Suspect>& suspects) {
  prefetch_first(suspects);  // on its way while the table is made
  if (!suspects.empty()) table().expect(suspects.size());
  visit_all(suspects, [this](const Suspect& suspect) {
    if (suspect.bound >= collector_.threshold()) offer(*suspect.segment, suspect.slot);
  });
}

void FrameScorer::offer_sifted(std::vector<Suspect>& suspects) {
  // Fewer are scored in the time that this spares.
  constexpr std::size_t kMany = 32;
  if (suspects.size() >= kMany) sift(suspects);
  offer(suspects);
}

void FrameScorer::sift(std::vector<Suspect>& suspects) {
  prefetch_first(suspects);
  std::size_t kept = 0;
  visit_all(suspects, [&](const Suspect& suspect) {
    const std::uint64_t lack = suspect.segment->forward(suspect.slot).lack(table());
    if (suspect.bound >= collector_.threshold() + lack) suspects[kept++] = suspect;
  });
  suspects.resize(kept);
}

void FrameScorer::offer_best_first(std::vector<Suspect>& suspects) {
  const auto higher = [](const Suspect& a, const Suspect& b) { return a.bound > b.bound; };
  // A few at a time: most of the order is never needed.
  constexpr std::size_t kAtOnce = 32;
  std::vector<Suspect> some;
  for (auto begin = suspects.begin(); begin != suspects.end();) {
    const auto left = static_cast<std::size_t>(suspects.end() - begin);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kAtOnce, left));
    std::partial_sort(begin, end, suspects.end(), higher);
    if (begin->bound < collector_.threshold()) return;
    some.assign(begin, end);
    offer(some);
    begin = end;
  }
}

}  // namespace looptree::detail
