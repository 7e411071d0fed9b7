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
#include "looptree/index/detail/fair_mutex.hpp"
#include "looptree/index/detail/frame_filter.hpp"
#include "looptree/index/detail/layer.hpp"
#include "looptree/index/detail/search.hpp"
#include "looptree/index/detail/tree.hpp"

namespace looptree {

using detail::OwnedTerms;

struct PooledIndex::Impl {
  explicit Impl(IndexOptions given) : options(std::move(given)), tree(options.topology) { reset(); }

  IndexOptions options;
  detail::Tree tree;
  mutable detail::FairSharedMutex mutex;  // guards all below
  std::unique_ptr<detail::FrameLayer> frames;
  std::vector<detail::PooledStage> pooled;  // from the layer above the frames up
  std::vector<SessionId> sessions;          // by frame, erased ones included
  std::vector<bool> stored;                 // by frame
  std::size_t live = 0;

  void reset() {
    frames = detail::make_frame_layer(options.vocabulary_size, options.word_weights);
    pooled.clear();
    for (std::size_t layer = 0; layer < tree.pooled_layers(); ++layer) {
      pooled.push_back(
          {detail::make_pooled_layer(options.vocabulary_size, options.topology.pooling()), {}});
    }
    sessions.clear();
    stored.clear();
    live = 0;
  }

  std::uint32_t next() const { return static_cast<std::uint32_t>(stored.size()); }
  bool contains(FrameId frame) const { return frame.value < stored.size() && stored[frame.value]; }

  void check_room(std::size_t count) const {
    const std::size_t room =
        options.topology.is_grouped() ? options.topology.groups()[0].size() : 0xFFFFFFFFu;
    if (count <= room - stored.size()) return;
    throw Error(ErrorKind::invalid_argument,
                options.topology.is_grouped()
                    ? "expected at most the " + std::to_string(room) +
                          " frames that the given groups place, found one more"
                    : std::string("expected fewer than 2^32 - 1 frames, found one more"));
  }

  void insert(const OwnedTerms& terms, SessionId session) {
    const std::uint32_t frame = next();
    frames->append(terms.view());
    sessions.push_back(session);
    stored.push_back(true);
    ++live;
    for (std::size_t l = 0; l < pooled.size(); ++l) {
      const std::uint32_t node = tree.node_of(l + 1, frame);
      pooled[l].storage->pool(node, terms.view());
      pooled[l].count(node, +1);
    }
  }

  void erase(FrameId frame) {
    frames->erase(frame.value);
    stored[frame.value] = false;
    --live;
    for (std::size_t l = 0; l < pooled.size(); ++l) {
      const std::uint32_t node = tree.node_of(l + 1, frame.value);
      if (pooled[l].half_gone(node)) repool(l, node);
    }
  }

  void repool(std::size_t l, std::uint32_t node) {
    std::vector<OwnedTerms> left;
    for (const std::uint32_t frame : tree.frames_under(l + 1, node, next())) {
      if (stored[frame]) left.push_back(frames->terms(frame));
    }
    pooled[l].storage->repool(node, left);
    pooled[l].recount(node, left.size());
  }

  detail::SearchState state() const { return {options.topology, tree, *frames, pooled, sessions}; }
};

PooledIndex::PooledIndex(IndexOptions options) {
  require(options.vocabulary_size > 0, ErrorKind::invalid_argument,
          "expected a vocabulary of at least one word, found IndexOptions::vocabulary_size 0");
  impl_ = std::make_unique<Impl>(std::move(options));
}
PooledIndex::~PooledIndex() = default;
PooledIndex::PooledIndex(PooledIndex&&) noexcept = default;
PooledIndex& PooledIndex::operator=(PooledIndex&&) noexcept = default;

FrameId PooledIndex::insert(const Histogram& histogram, InsertOptions options) {
  return insert(std::span(&histogram, 1), options);
}

FrameId PooledIndex::insert(std::span<const Histogram> histograms, InsertOptions options) {
  std::vector<OwnedTerms> checked;
  checked.reserve(histograms.size());
  for (const Histogram& histogram : histograms) {
    checked.push_back(detail::checked_terms(histogram, impl_->options.vocabulary_size));
  }
  const std::lock_guard lock(impl_->mutex);
  impl_->check_room(checked.size());
  const FrameId first{impl_->next()};
  for (const OwnedTerms& terms : checked) impl_->insert(terms, options.session);
  return first;
}

bool PooledIndex::erase(FrameId frame) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->contains(frame)) return false;
  impl_->erase(frame);
  return true;
}

void PooledIndex::clear() {
  const std::lock_guard lock(impl_->mutex);
  impl_->reset();
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

std::size_t PooledIndex::size() const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->live;
}

FrameId PooledIndex::next_id() const {
  const std::shared_lock lock(impl_->mutex);
  return FrameId{impl_->next()};
}

bool PooledIndex::contains(FrameId frame) const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->contains(frame);
}

std::optional<Histogram> PooledIndex::histogram(FrameId frame) const {
  const std::shared_lock lock(impl_->mutex);
  if (!impl_->contains(frame)) return std::nullopt;
  return detail::to_histogram(impl_->frames->terms(frame.value).view());
}

std::optional<SessionId> PooledIndex::session(FrameId frame) const {
  const std::shared_lock lock(impl_->mutex);
  if (!impl_->contains(frame)) return std::nullopt;
  return impl_->sessions[frame.value];
}

MemoryUsage PooledIndex::memory() const {
  const std::shared_lock lock(impl_->mutex);
  MemoryUsage usage;
  usage.frames = impl_->live;
  usage.layers.push_back(impl_->frames->bytes());
  for (const detail::PooledStage& stage : impl_->pooled) {
    usage.layers.push_back(stage.storage->bytes() + stage.bytes());
  }
  usage.bytes = impl_->sessions.capacity() * sizeof(SessionId) + impl_->stored.capacity() / 8;
  for (const std::size_t bytes : usage.layers) usage.bytes += bytes;
  return usage;
}

const IndexOptions& PooledIndex::options() const {
  return impl_->options;
}

}  // namespace looptree
