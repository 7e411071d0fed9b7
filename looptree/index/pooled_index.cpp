// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/pooled_index.hpp"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/index/detail/frame_filter.hpp"
#include "looptree/index/detail/index_state.hpp"

namespace looptree {

using detail::OwnedTerms;
using detail::PreparedFrame;

PooledIndex::PooledIndex(IndexOptions options) {
  require(options.vocabulary_size > 0, ErrorKind::invalid_argument,
          "expected a vocabulary of at least one word, found IndexOptions::vocabulary_size 0");
  if (!options.word_weights.empty() && options.word_weights.size() != options.vocabulary_size) {
    throw Error(ErrorKind::invalid_argument, "expected no word weights, or one for each of the " +
                                                 std::to_string(options.vocabulary_size) +
                                                 " words, found " +
                                                 std::to_string(options.word_weights.size()));
  }
  impl_ = std::make_unique<Impl>(std::move(options));
}
PooledIndex::~PooledIndex() = default;
PooledIndex::PooledIndex(PooledIndex&&) noexcept = default;
PooledIndex& PooledIndex::operator=(PooledIndex&&) noexcept = default;

FrameId PooledIndex::insert(const Histogram& histogram, InsertOptions options) {
  return insert(std::span(&histogram, 1), options);
}

FrameId PooledIndex::insert(std::span<const Histogram> histograms, InsertOptions options) {
  std::vector<std::optional<PreparedFrame>> prepared(histograms.size());
  parallel_for(histograms.size(), histograms.size() == 1 ? 1 : options.threads, [&](std::size_t i) {
    prepared[i].emplace(detail::checked_terms(histograms[i], impl_->options.vocabulary_size),
                        impl_->units);
  });
  const std::lock_guard lock(impl_->mutex);
  impl_->check_room(prepared.size());
  const FrameId first{impl_->table.next()};
  for (auto& frame : prepared) impl_->insert(std::move(*frame), options.session);
  return first;
}

FrameId PooledIndex::leave_vacant(std::uint32_t count) {
  const std::lock_guard lock(impl_->mutex);
  impl_->check_room(count);
  const FrameId first{impl_->table.next()};
  impl_->frames->skip(count);
  impl_->table.skip(count);
  return first;
}

bool PooledIndex::erase(FrameId frame) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->table.contains(frame.value)) return false;
  impl_->erase(frame);
  return true;
}

void PooledIndex::clear() {
  const std::lock_guard lock(impl_->mutex);
  impl_->reset();
  ++impl_->erasures;
}

QueryResult PooledIndex::query(const Histogram& histogram, const QueryOptions& options) const {
  check(options);
  const OwnedTerms terms = detail::checked_terms(histogram, impl_->options.vocabulary_size);
  const std::shared_lock lock(impl_->mutex);
  return detail::search(impl_->state(), terms.view(), options);
}

std::vector<QueryResult> PooledIndex::query(std::span<const Histogram> histograms,
                                            const QueryOptions& options) const {
  check(options);
  std::vector<OwnedTerms> terms;
  terms.reserve(histograms.size());
  for (const Histogram& histogram : histograms) {
    terms.push_back(detail::checked_terms(histogram, impl_->options.vocabulary_size));
  }
  std::vector<QueryResult> results(terms.size());
  const std::shared_lock lock(impl_->mutex);
  parallel_for(terms.size(), options.threads, [&](std::size_t i) {
    results[i] = detail::search(impl_->state(), terms[i].view(), options);
  });
  return results;
}

CommonWords PooledIndex::common_words(const Histogram& histogram,
                                      const CommonWordsOptions& options) const {
  check(options);
  const OwnedTerms terms = detail::checked_terms(histogram, impl_->options.vocabulary_size);
  const std::shared_lock lock(impl_->mutex);
  const detail::FrameFilter filter(options.filter, impl_->table);
  return impl_->frames->common_words(terms.view(), filter, options);
}

std::size_t PooledIndex::size() const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->table.live();
}

FrameId PooledIndex::next_id() const {
  const std::shared_lock lock(impl_->mutex);
  return FrameId{impl_->table.next()};
}

bool PooledIndex::contains(FrameId frame) const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->table.contains(frame.value);
}

std::optional<Histogram> PooledIndex::histogram(FrameId frame) const {
  const std::shared_lock lock(impl_->mutex);
  if (!impl_->table.contains(frame.value)) return std::nullopt;
  return detail::to_histogram(impl_->frames->terms(frame.value).view());
}

std::optional<SessionId> PooledIndex::session(FrameId frame) const {
  const std::shared_lock lock(impl_->mutex);
  if (!impl_->table.contains(frame.value)) return std::nullopt;
  return impl_->table.session(frame.value);
}

MemoryUsage PooledIndex::memory() const {
  const std::shared_lock lock(impl_->mutex);
  MemoryUsage usage;
  usage.frames = impl_->table.live();
  usage.layers.push_back(impl_->frames->bytes());
  for (const detail::PooledStage& stage : impl_->pooled) {
    usage.layers.push_back(stage.storage->bytes() + stage.bytes());
  }
  usage.bytes = impl_->table.bytes();
  for (const std::size_t bytes : usage.layers) usage.bytes += bytes;
  return usage;
}

const IndexOptions& PooledIndex::options() const {
  return impl_->options;
}

}  // namespace looptree
