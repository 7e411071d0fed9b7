// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/collector.hpp"

#include <algorithm>
#include <utility>

namespace looptree::detail {

Collector::Collector(std::size_t limit, FixedWeight floor, const Accept* accept)
    : limit_(limit), threshold_(std::max<FixedWeight>(floor, 1)), accept_(accept) {}

void Collector::consider(Scored scored) {
  const bool full = kept_.size() == limit_;
  if (full && !better(scored, kept_.front())) return;
  if (accept_ != nullptr && !(*accept_)(scored.item)) return;
  if (full) {
    std::pop_heap(kept_.begin(), kept_.end(), better);
    kept_.back() = scored;
    std::push_heap(kept_.begin(), kept_.end(), better);
  } else {
    kept_.push_back(scored);
    if (kept_.size() < limit_) return;
    std::make_heap(kept_.begin(), kept_.end(), better);
  }
  // Not one more: an equal score with a lower id must still get in.
  threshold_ = std::max(threshold_, kept_.front().sum);
}

std::vector<Scored> Collector::take() {
  std::sort(kept_.begin(), kept_.end(), better);
  return std::move(kept_);
}

}  // namespace looptree::detail
