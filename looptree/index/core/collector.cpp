// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/core/collector.hpp"

#include <algorithm>
#include <utility>

namespace looptree::detail {

Collector::Collector(std::size_t limit, FixedWeight floor, const Accept* accept)
    : limit_(limit), threshold_(std::max<FixedWeight>(floor, 1)), accept_(accept) {}

void Collector::consider(Scored scored) {
  if (full() && !better(scored, kept_.front())) return;
  if (accept_ == nullptr || (*accept_)(scored.item)) keep(scored);
}

void Collector::keep(Scored scored) {
  if (full()) {
    std::pop_heap(kept_.begin(), kept_.end(), better);
    kept_.back() = scored;
    std::push_heap(kept_.begin(), kept_.end(), better);
  } else {
    kept_.push_back(scored);
    if (!full()) return;
    std::make_heap(kept_.begin(), kept_.end(), better);
  }
  // Not one more: an equal score with a lower id must still get in.
  threshold_ = std::max(threshold_, kept_.front().sum);
}

void Collector::merge(const Collector& fork) {
  offers_ += fork.offers_;
  for (const Scored& scored : fork.kept_) {
    if (!full() || better(scored, kept_.front())) keep(scored);
  }
}

std::vector<Scored> Collector::take() {
  std::sort(kept_.begin(), kept_.end(), better);
  return std::move(kept_);
}

}  // namespace looptree::detail
