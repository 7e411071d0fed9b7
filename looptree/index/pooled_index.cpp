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
#include "looptree/index/core/filter.hpp"
#include "looptree/index/search/common_words.hpp"
#include "looptree/index/tree/index_state.hpp"

namespace looptree {

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

FrameId PooledIndex::insert(const FixedHistogram& histogram, InsertOptions options) {
  return insert(std::span(&histogram, 1), options);
}

FrameId PooledIndex::insert(std::span<const Histogram> histograms, InsertOptions options) {
  const std::uint32_t words = impl_->options.vocabulary_size;
  return impl_->insert(histograms.size(), options,
                       [&](std::size_t i) { return FixedHistogram(histograms[i], words); });
}

FrameId PooledIndex::insert(std::span<const FixedHistogram> histograms, InsertOptions options) {
  const std::uint32_t words = impl_->options.vocabulary_size;
  for (const FixedHistogram& histogram : histograms) histogram.check_within(words);
  return impl_->insert(histograms.size(), options, [&](std::size_t i) { return histograms[i]; });
}

FrameId PooledIndex::leave_vacant(std::uint32_t count) {
  const std::lock_guard lock(impl_->mutex);
  impl_->check_room(count);
  const FrameId first{impl_->sessions.next()};
  impl_->sessions.skip(count);
  return first;
}

bool PooledIndex::erase(FrameId frame) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->frames.contains(frame.value)) return false;
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
  const FixedHistogram words(histogram, impl_->options.vocabulary_size);
  const std::shared_lock lock(impl_->mutex);
  return detail::search(impl_->state(), words.view(), options);
}

std::vector<QueryResult> PooledIndex::query(std::span<const Histogram> histograms,
                                            const QueryOptions& options) const {
  check(options);
  std::vector<FixedHistogram> words;
  words.reserve(histograms.size());
  for (const Histogram& histogram : histograms) {
    words.emplace_back(histogram, impl_->options.vocabulary_size);
  }
  std::vector<QueryResult> results(words.size());
  const std::shared_lock lock(impl_->mutex);
  parallel_for(words.size(), options.threads, [&](std::size_t i) {
    results[i] = detail::search(impl_->state(), words[i].view(), options);
  });
  return results;
}

CommonWords PooledIndex::common_words(const Histogram& histogram,
                                      const CommonWordsOptions& options) const {
  check(options);
  const FixedHistogram words(histogram, impl_->options.vocabulary_size);
  const std::shared_lock lock(impl_->mutex);
  const detail::FrameFilter filter(options.filter, impl_->sessions);
  return detail::common_words(impl_->frames, words.view(), filter, options);
}

std::size_t PooledIndex::size() const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->frames.size();
}

FrameId PooledIndex::next_id() const {
  const std::shared_lock lock(impl_->mutex);
  return FrameId{impl_->sessions.next()};
}

bool PooledIndex::contains(FrameId frame) const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->frames.contains(frame.value);
}

std::optional<Histogram> PooledIndex::histogram(FrameId frame) const {
  const std::shared_lock lock(impl_->mutex);
  if (!impl_->frames.contains(frame.value)) return std::nullopt;
  return impl_->frames.words(frame.value).histogram();
}

std::optional<SessionId> PooledIndex::session(FrameId frame) const {
  const std::shared_lock lock(impl_->mutex);
  if (!impl_->frames.contains(frame.value)) return std::nullopt;
  return impl_->sessions[frame.value];
}

MemoryUsage PooledIndex::memory() const {
  const std::shared_lock lock(impl_->mutex);
  MemoryUsage usage;
  usage.frames = impl_->frames.size();
  usage.layers.push_back(impl_->frames.bytes());
  for (const detail::PooledLayer& layer : impl_->pooled) usage.layers.push_back(layer.bytes());
  usage.bytes = impl_->sessions.bytes();
  for (const std::size_t bytes : usage.layers) usage.bytes += bytes;
  return usage;
}

const IndexOptions& PooledIndex::options() const {
  return impl_->options;
}

}  // namespace looptree
