// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/index/core/candidates.hpp"
#include "looptree/index/core/collector.hpp"
#include "looptree/index/core/workspace.hpp"
#include "looptree/index/topology.hpp"
#include "looptree/index/tree/node_bounds.hpp"
#include "looptree/index/tree/node_words.hpp"

namespace looptree::detail {

/// A layer of nodes, each of which pools frames: what they hold exactly, and bounds that say which
/// of them are worth asking. Not synchronised: PooledIndex lets any number of readers or one writer
/// in.
class PooledLayer {
 public:
  PooledLayer(std::uint32_t vocabulary_size, Pooling pooling);

  /// Offers, with its exact score, every candidate whose score reaches the collector's threshold;
  /// offering others does no harm.
  void search(const FixedView& query, const Candidates& candidates, Collector& collector,
              Workspace& workspace) const;
  /// Like search(), but with a bound on the score that is not below it. Much faster where many
  /// candidates reach the threshold.
  void bound(const FixedView& query, const Candidates& candidates, Collector& collector) const;

  /// Adds a frame to a node; a node not seen before starts empty. If memory runs out, the node may
  /// hold the frame or not: its bounds are valid for the others either way.
  void pool(std::uint32_t node, const FixedView& frame);
  /// Notes that one more frame of the node is gone; true once half of those pooled are.
  bool forget(std::uint32_t node) noexcept;
  /// Makes the node pool these frames and no others; none at all leaves it empty.
  void repool(std::uint32_t node, std::span<const FixedHistogram> frames);
  /// Whether the nodes pool the frames that are stored and no others.
  bool as_stored() const;

  std::size_t bytes() const;

 private:
  struct Node {
    std::unique_ptr<NodeWords> words;  // none where no frame is left
    std::uint32_t pooled = 0;          // frames
    std::uint32_t gone = 0;            // of these, erased since
  };
  /// A node whose bound reached the threshold.
  struct Survivor {
    std::uint32_t node;
    std::uint64_t bound;  ///< the most it can score
  };

  void add(std::uint32_t node, const FixedView& frame);
  void clear(std::uint32_t node);
  bool block_is_empty(std::uint32_t block) const;
  void set_bounds(std::uint32_t node, const FixedView& frame);
  /// Chooses rows and their quanta by what is stored by now.
  void rebuild();
  std::vector<Survivor> survivors(const FixedView& query, const Candidates& candidates,
                                  FixedWeight threshold) const;

  Pooling pooling_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> counts_;  // by word: nodes that have it
  NodeBounds bounds_;
  std::uint64_t frame_words_ = 0;
  std::uint64_t frames_ = 0;
  std::uint32_t live_ = 0;
  std::uint32_t live_at_rebuild_;
  std::size_t postings_ = 0;
  std::size_t postings_at_rebuild_ = 0;
};

}  // namespace looptree::detail
