// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/choice.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "looptree/detect/detail/candidates.hpp"

namespace looptree {
namespace {

/// How far from the last match the next is looked for, in frames; farther apart may be elsewhere.
constexpr std::uint32_t kReach = 10;

/// Whether no other place agrees nearly as well.
bool is_distinct(const Looked& candidate, std::span<const Looked> all, const Evidence& evidence,
                 const SamePlace& same_place) {
  if (evidence.distinct_factor <= 1) return true;
  return std::all_of(all.begin(), all.end(), [&](const Looked& other) {
    const double needed = evidence.distinct_factor * static_cast<double>(other.inliers);
    return static_cast<double>(candidate.inliers) >= needed ||
           detail::within(other.frame, candidate.frame, kReach) ||
           (same_place && same_place(candidate.frame, other.frame));
  });
}

}  // namespace

void ClosureTrail::add(std::optional<FrameId> match) {
  if (match) {
    length_ = leads_to(*match) ? length_ + 1 : 1;
    last_ = *match;
    missed_ = 0;
  } else if (length_ > 0 && ++missed_ > max_missed_) {
    length_ = 0;
  }
}

bool ClosureTrail::leads_to(FrameId frame) const {
  return length_ > 0 && detail::within(frame, last_, kReach);
}

std::pair<FrameId, FrameId> ClosureTrail::around() const {
  return {FrameId(last_.value - std::min(last_.value, kReach)), FrameId(last_.value + kReach + 1)};
}

std::optional<std::size_t> choose_closure(std::span<const Looked> candidates,
                                          const ClosureTrail& trail, const Evidence& evidence,
                                          const SamePlace& same_place) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return candidates[a].inliers > candidates[b].inliers;
  });
  for (const std::size_t i : order) {
    const Looked& candidate = candidates[i];
    if (!candidate.judgement.believed) continue;
    if (candidate.judgement.beyond_doubt || trail.leads_to(candidate.frame) ||
        is_distinct(candidate, candidates, evidence, same_place)) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace looptree
