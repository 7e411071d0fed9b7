// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/frames/repacking.hpp"

#include <algorithm>

namespace looptree::detail {
namespace {

/// Frames copied at a time. More than one, so that it catches up with the frames that come in.
constexpr std::uint32_t kAtOnce = 8;

}  // namespace

bool Repacking::advance() {
  for (std::uint32_t copied = 0; copied < kAtOnce && next_ < segment_.slots(); ++next_) {
    if (!segment_.alive(next_)) continue;
    PreparedFrame frame(segment_.forward(next_).decode(idf_), idf_);
    copy_->append(segment_.id(next_), frame);
    ++copied;
  }
  return next_ == segment_.slots();
}

void Repacking::popping(const FixedHistogram& words) noexcept {
  const std::uint32_t last = segment_.slots() - 1;
  if (next_ <= last) return;
  next_ = last;
  if (copy_->slots() > 0 && copy_->id(copy_->slots() - 1) == segment_.id(last)) copy_->pop(words);
}

}  // namespace looptree::detail
