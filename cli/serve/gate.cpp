// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/serve/gate.hpp"

#include <algorithm>

namespace looptree::cli {

Gate::Gate(std::size_t inside, std::size_t in_line, std::chrono::milliseconds patience)
    : most_in_line_(in_line), patience_(patience), free_(inside) {}

Gate::Pass Gate::enter() {
  std::unique_lock lock(mutex_);
  if (free_ > 0) {
    --free_;
    return Pass(this);
  }
  if (line_.size() >= most_in_line_) return {};
  Waiter waiter;
  line_.push_back(&waiter);
  if (waiter.called.wait_for(lock, patience_, [&] { return waiter.admitted; })) return Pass(this);
  line_.erase(std::find(line_.begin(), line_.end(), &waiter));
  return {};
}

std::size_t Gate::waiting() const {
  const std::lock_guard lock(mutex_);
  return line_.size();
}

void Gate::leave() {
  const std::lock_guard lock(mutex_);
  if (line_.empty()) {
    ++free_;
    return;
  }
  // The place goes from hand to hand: nobody who comes now gets in before those who waited.
  Waiter& next = *line_.front();
  line_.pop_front();
  next.admitted = true;
  next.called.notify_one();  // under the lock: without it the waiter might be gone already
}

}  // namespace looptree::cli
