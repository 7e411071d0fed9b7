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
  detail::FrameTable table;

  void reset() {
    frames = detail::make_frame_layer(options.vocabulary_size, options.word_weights);
    pooled.clear();
    for (std::size_t layer = 0; layer < tree.pooled_layers(); ++layer) {
      pooled.push_back(
          {detail::make_pooled_layer(options.vocabulary_size, options.topology.pooling()), {}});
    }
    table = {};
  }

  void check_room(std::size_t count) const {
    const std::size_t room =
        options.topology.is_grouped() ? options.topology.groups()[0].size() : 0xFFFFFFFFu;
    if (count <= room - table.next()) return;
    throw Error(ErrorKind::invalid_argument,
                options.topology.is_grouped()
                    ? "expected at most the " + std::to_string(room) +
                          " frames that the given groups place, found one more"
                    : std::string("expected fewer than 2^32 - 1 frames, found one more"));
  }

  void insert(const OwnedTerms& terms, SessionId session) {
    const std::uint32_t frame = table.next();
    frames->append(terms.view());
    table.append(session);
    for (std::size_t l = 0; l < pooled.size(); ++l) {
      const std::uint32_t node = tree.node_of(l + 1, frame);
      pooled[l].storage->pool(node, terms.view());
      pooled[l].count(node, +1);
    }
  }

  void erase(FrameId frame) {
    frames->erase(frame.value);
    table.erase(frame.value);
    for (std::size_t l = 0; l < pooled.size(); ++l) {
      const std::uint32_t node = tree.node_of(l + 1, frame.value);
      if (pooled[l].half_gone(node)) repool(l, node);
    }
  }

  void repool(std::size_t l, std::uint32_t node) {
    std::vector<OwnedTerms> left;
    for (const std::uint32_t frame : tree.frames_under(l + 1, node, table.next())) {
      if (table.contains(frame)) left.push_back(frames->terms(frame));
    }
    pooled[l].storage->repool(node, left);
    pooled[l].recount(node, left.size());
  }

  detail::SearchState state() const { return {options.topology, tree, *frames, pooled, table}; }
};

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
  std::vector<OwnedTerms> checked;
  checked.reserve(histograms.size());
  for (const Histogram& histogram : histograms) {
    checked.push_back(detail::checked_terms(histogram, impl_->options.vocabulary_size));
  }
  const std::lock_guard lock(impl_->mutex);
  impl_->check_room(checked.size());
  const FrameId first{impl_->table.next()};
  for (const OwnedTerms& terms : checked) impl_->insert(terms, options.session);
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
