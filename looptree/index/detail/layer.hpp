// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "looptree/index/common_words.hpp"
#include "looptree/index/detail/collector.hpp"
#include "looptree/index/detail/terms.hpp"
#include "looptree/index/topology.hpp"

namespace looptree::detail {

class FrameFilter;

/// The nodes (or frames) of a layer that a search looks at: those of [first, last), and if `listed`
/// only the given ones among them.
struct Candidates {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool listed = false;
  std::vector<std::uint32_t> items;  // ascending, inside [first, last)

  std::size_t size() const { return listed ? items.size() : last - first; }
};

/// Storage and scoring of one layer. The search above it, and the layers beside it, know nothing of
/// how. Not synchronised: PooledIndex lets any number of readers or one writer in.
class Layer {
 public:
  Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  /// Offers, with its exact score, every candidate whose score reaches the collector's threshold;
  /// offering others does no harm.
  virtual void search(const Terms& query, const Candidates& candidates,
                      Collector& collector) const = 0;

  virtual std::size_t bytes() const = 0;
};

/// Layer 0: frames, by FrameId.
class FrameLayer : public Layer {
 public:
  /// Forgets a stored frame; a search never offers it again.
  virtual void erase(std::uint32_t frame) = 0;
  /// The terms of a stored frame.
  virtual OwnedTerms terms(std::uint32_t frame) const = 0;
  /// The frames with enough words in common; options and filter agree.
  virtual CommonWords common_words(const Terms& query, const FrameFilter& filter,
                                   const CommonWordsOptions& options) const = 0;
};

/// A layer of nodes, each of which pools frames.
class PooledLayer : public Layer {
 public:
  /// Like search(), but with a bound on the score that is not below it. Much faster where many
  /// candidates reach the threshold.
  virtual void bound(const Terms& query, const Candidates& candidates,
                     Collector& collector) const = 0;
  /// Adds a frame to a node; a node not seen before starts empty.
  virtual void pool(std::uint32_t node, const Terms& frame) = 0;
  /// Makes the node pool these frames and no others; none at all leaves it empty.
  virtual void repool(std::uint32_t node, std::span<const OwnedTerms> frames) = 0;
};

std::unique_ptr<PooledLayer> make_pooled_layer(std::uint32_t vocabulary_size, Pooling pooling);

}  // namespace looptree::detail
