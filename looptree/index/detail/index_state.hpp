// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/index/detail/fair_mutex.hpp"
#include "looptree/index/detail/frame_segments.hpp"
#include "looptree/index/detail/frame_table.hpp"
#include "looptree/index/detail/search.hpp"
#include "looptree/index/detail/tree.hpp"
#include "looptree/index/pooled_index.hpp"

namespace looptree {

/// What an index holds, shared by those who change it, search it and write it to snapshots.
struct PooledIndex::Impl {
  explicit Impl(IndexOptions given)
      : options(std::move(given)),
        tree(options.topology),
        units(options.word_weights, options.vocabulary_size) {
    reset();
  }

  IndexOptions options;
  detail::Tree tree;
  detail::WordUnits units;
  mutable detail::FairSharedMutex mutex;  // guards all below
  std::unique_ptr<detail::FrameSegments> frames;
  std::vector<detail::PooledStage> pooled;  // from the layer above the frames up
  detail::FrameTable table;
  std::uint64_t erasures = 0;  // how often anything stored was taken away, or moved

  void reset() {
    frames = std::make_unique<detail::FrameSegments>(units);
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

  void insert(detail::PreparedFrame frame, SessionId session) {
    const std::uint32_t id = table.next();
    table.append(session);
    for (std::size_t l = 0; l < pooled.size(); ++l) pool(l, id, frame.terms.view());
    if (frames->append(std::move(frame))) ++erasures;
  }

  void pool(std::size_t l, std::uint32_t frame, const detail::Terms& terms) {
    const std::uint32_t node = tree.node_of(l + 1, frame);
    pooled[l].storage->pool(node, terms);
    pooled[l].count(node, +1);
  }

  void erase(FrameId frame) {
    ++erasures;
    frames->erase(frame.value);
    table.erase(frame.value);
    for (std::size_t l = 0; l < pooled.size(); ++l) {
      const std::uint32_t node = tree.node_of(l + 1, frame.value);
      if (pooled[l].half_gone(node)) repool(l, node);
    }
  }

  void repool(std::size_t l, std::uint32_t node) {
    std::vector<detail::OwnedTerms> left;
    for (const std::uint32_t frame : tree.frames_under(l + 1, node, table.next())) {
      if (table.contains(frame)) left.push_back(frames->terms(frame));
    }
    pooled[l].storage->repool(node, left);
    pooled[l].recount(node, left.size());
  }

  detail::SearchState state() const { return {options.topology, tree, *frames, pooled, table}; }
};

}  // namespace looptree
