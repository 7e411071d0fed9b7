// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/index/core/fair_mutex.hpp"
#include "looptree/index/core/idf_table.hpp"
#include "looptree/index/core/sessions.hpp"
#include "looptree/index/frames/frame_layer.hpp"
#include "looptree/index/pooled_index.hpp"
#include "looptree/index/tree/descent.hpp"
#include "looptree/index/tree/pooled_layer.hpp"
#include "looptree/index/tree/tree.hpp"

namespace looptree {

/// What an index holds, shared by those who change it, search it and write it to snapshots.
struct PooledIndex::Impl {
  explicit Impl(IndexOptions given)
      : options(std::move(given)),
        tree(options.topology),
        idf(options.word_weights, options.vocabulary_size),
        frames(idf) {
    reset();
  }

  IndexOptions options;
  detail::Tree tree;
  detail::IdfTable idf;
  mutable detail::FairSharedMutex mutex;  // guards all below
  detail::FrameLayer frames;
  std::vector<detail::PooledLayer> pooled;  // from the layer above the frames up
  detail::Sessions sessions;
  std::uint64_t erasures = 0;  // how often anything stored was taken away, or moved

  void reset() {
    frames.restore({});
    pooled.clear();
    for (std::size_t layer = 0; layer < tree.pooled_layers(); ++layer) {
      pooled.emplace_back(options.vocabulary_size, options.topology.pooling());
    }
    sessions = {};
  }

  void check_room(std::size_t count) const {
    const std::size_t room =
        options.topology.is_grouped() ? options.topology.groups()[0].size() : 0xFFFFFFFFu;
    if (count <= room - sessions.next()) return;
    throw Error(ErrorKind::invalid_argument,
                options.topology.is_grouped()
                    ? "expected at most the " + std::to_string(room) +
                          " frames that the given groups place, found one more"
                    : std::string("expected fewer than 2^32 - 1 frames, found one more"));
  }

  /// Adds frames, all or none, each as `make` gives it, which is asked on several threads.
  template <typename Make>
  FrameId insert(std::size_t count, const InsertOptions& how, Make make) {
    std::vector<std::optional<detail::PreparedFrame>> prepared(count);
    parallel_for(count, count == 1 ? 1 : how.threads,
                 [&](std::size_t i) { prepared[i].emplace(make(i), idf); });
    const std::lock_guard lock(mutex);
    check_room(count);
    const FrameId first{sessions.next()};
    std::size_t done = 0;
    try {
      for (; done < count; ++done) insert(*prepared[done], how.session);
    } catch (...) {
      while (done > 0) take_back(*prepared[--done]);
      throw;
    }
    return first;
  }

  /// Adds a frame, or leaves everything as it was and throws.
  void insert(detail::PreparedFrame& frame, SessionId session) {
    const std::uint32_t id = sessions.next();
    sessions.reserve();
    if (frames.append(id, frame)) ++erasures;
    std::size_t layer = 0;
    try {
      for (; layer < pooled.size(); ++layer) pool(layer, id, frame.words.view());
    } catch (...) {
      frames.pop(frame.words);
      for (std::size_t l = 0; l <= layer; ++l) pooled[l].forget(tree.node_of(l + 1, id));
      throw;
    }
    sessions.append(session);
  }

  /// Takes the frame that was inserted last out again. What nodes took from it stays with them, as
  /// what an erased frame gave: bounds stay valid.
  void take_back(const detail::PreparedFrame& frame) noexcept {
    ++erasures;
    sessions.pop();
    frames.pop(frame.words);
    for (std::size_t l = 0; l < pooled.size(); ++l) {
      pooled[l].forget(tree.node_of(l + 1, sessions.next()));
    }
  }

  void pool(std::size_t l, std::uint32_t frame, const FixedView& words) {
    pooled[l].pool(tree.node_of(l + 1, frame), words);
  }

  void erase(FrameId frame) {
    ++erasures;
    frames.erase(frame.value);
    sessions.erase(frame.value);
    for (std::size_t l = 0; l < pooled.size(); ++l) {
      const std::uint32_t node = tree.node_of(l + 1, frame.value);
      if (pooled[l].forget(node)) repool(l, node);
    }
  }

  void repool(std::size_t l, std::uint32_t node) {
    std::vector<FixedHistogram> left;
    for (const std::uint32_t frame : tree.frames_under(l + 1, node, sessions.next())) {
      if (frames.contains(frame)) left.push_back(frames.words(frame));
    }
    pooled[l].repool(node, left);
  }

  detail::SearchState state() const { return {options.topology, tree, frames, pooled, sessions}; }
};

}  // namespace looptree
