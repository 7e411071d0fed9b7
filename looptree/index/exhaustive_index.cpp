// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/exhaustive_index.hpp"

#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/index/detail/frame_filter.hpp"
#include "looptree/index/detail/terms.hpp"

namespace looptree {

struct ExhaustiveIndex::Impl {
  std::uint32_t vocabulary_size = 0;
  std::vector<detail::OwnedTerms> frames;  // no words: erased
  std::vector<SessionId> sessions;
  std::size_t live = 0;
};

ExhaustiveIndex::ExhaustiveIndex(std::uint32_t vocabulary_size) : impl_(std::make_unique<Impl>()) {
  require(vocabulary_size > 0, ErrorKind::invalid_argument,
          "expected a vocabulary of at least one word, found vocabulary_size 0");
  impl_->vocabulary_size = vocabulary_size;
}
ExhaustiveIndex::~ExhaustiveIndex() = default;
ExhaustiveIndex::ExhaustiveIndex(ExhaustiveIndex&&) noexcept = default;
ExhaustiveIndex& ExhaustiveIndex::operator=(ExhaustiveIndex&&) noexcept = default;

FrameId ExhaustiveIndex::insert(const Histogram& histogram, InsertOptions options) {
  impl_->frames.push_back(detail::checked_terms(histogram, impl_->vocabulary_size));
  impl_->sessions.push_back(options.session);
  ++impl_->live;
  return FrameId{static_cast<std::uint32_t>(impl_->frames.size() - 1)};
}

bool ExhaustiveIndex::erase(FrameId frame) {
  if (frame.value >= impl_->frames.size() || impl_->frames[frame.value].words.empty()) return false;
  impl_->frames[frame.value] = {};
  --impl_->live;
  return true;
}

void ExhaustiveIndex::clear() {
  impl_->frames.clear();
  impl_->sessions.clear();
  impl_->live = 0;
}

std::size_t ExhaustiveIndex::size() const {
  return impl_->live;
}

QueryResult ExhaustiveIndex::query(const Histogram& histogram, const QueryOptions& options) const {
  check(options);
  const detail::OwnedTerms query = detail::checked_terms(histogram, impl_->vocabulary_size);
  const detail::FrameFilter filter(options.filter, impl_->sessions);
  detail::Collector best(options.top_k, fixed_threshold(options.threshold), filter.accept());
  for (std::uint32_t frame = filter.first(); frame < filter.last(); ++frame) {
    best.offer(frame, detail::intersect(query.view(), impl_->frames[frame].view()));
  }
  QueryResult result;
  const std::size_t scored = filter.last() - filter.first();
  result.layers.push_back({impl_->frames.size(), scored, 0, scored});
  result.matches = detail::to_matches(best.take());
  return result;
}

}  // namespace looptree
