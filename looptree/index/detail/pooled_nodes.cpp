// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "looptree/index/detail/layer.hpp"
#include "looptree/index/detail/node_bounds.hpp"
#include "looptree/index/detail/node_terms.hpp"

namespace looptree::detail {
namespace {

/// Levels of a row to the mean weight of a word in a frame: most weights of a query then fit a
/// byte, and rounding up adds little to what a node of many frames has of a word.
constexpr std::uint64_t kLevelsToMean = 100;
/// Nodes below which rows are not worth having.
constexpr std::uint32_t kFewNodes = 16;

/// Nodes with what they hold exactly, and bounds that say which of them are worth asking.
class PooledNodes final : public PooledLayer {
 public:
  PooledNodes(std::uint32_t vocabulary_size, Pooling pooling)
      : pooling_(pooling), counts_(vocabulary_size, 0), bounds_(vocabulary_size) {}

  void pool(std::uint32_t node, const Terms& frame) override {
    if (node >= nodes_.size()) nodes_.resize(node + 1);
    add(node, frame);
    if (live_ >= 2 * live_at_rebuild_) rebuild();
  }

  void repool(std::uint32_t node, std::span<const OwnedTerms> frames) override {
    forget(node);
    for (const OwnedTerms& frame : frames) add(node, frame.view());
    if (frames.empty() && block_is_empty(node / kBlockNodes)) {
      bounds_.release(node / kBlockNodes);
    }
    if (2 * postings_ < postings_at_rebuild_) rebuild();
  }

  void search(const Terms& query, const Candidates& candidates,
              Collector& collector) const override {
    std::vector<Suspect> suspects = suspect(query, candidates, collector.threshold());
    if (suspects.empty()) return;
    std::sort(suspects.begin(), suspects.end(),
              [](const Suspect& a, const Suspect& b) { return a.bound > b.bound; });
    const QueryTable table(query, static_cast<std::uint32_t>(counts_.size()), nullptr);
    for (const Suspect& each : suspects) {
      if (each.bound < collector.threshold()) return;
      collector.offer(each.node, nodes_[each.node]->score(table, pooling_));
    }
  }

  void bound(const Terms& query, const Candidates& candidates,
             Collector& collector) const override {
    for (const Suspect& each : suspect(query, candidates, collector.threshold())) {
      collector.offer(each.node,
                      static_cast<FixedWeight>(std::min<std::uint64_t>(each.bound, kFixedOne)));
    }
  }

  std::size_t bytes() const override {
    std::size_t bytes = counts_.capacity() * sizeof(counts_[0]) + bounds_.bytes();
    bytes += nodes_.capacity() * sizeof(nodes_[0]);
    for (const auto& node : nodes_) bytes += node ? sizeof(NodeTerms) + node->bytes() : 0;
    return bytes;
  }

 private:
  /// A node that may score enough, and the most it can.
  struct Suspect {
    std::uint32_t node;
    std::uint64_t bound;
  };

  void add(std::uint32_t node, const Terms& frame) {
    if (nodes_[node] == nullptr) {
      nodes_[node] = std::make_unique<NodeTerms>();
      ++live_;
    }
    const std::vector<std::uint32_t> fresh = nodes_[node]->add(frame, pooling_);
    for (const std::uint32_t word : fresh) ++counts_[word];
    postings_ += fresh.size();
    frame_terms_ += frame.size();
    ++frames_;
    set_bounds(node, frame);
  }

  void forget(std::uint32_t node) {
    if (nodes_[node] == nullptr) return;
    for (const std::uint32_t word : nodes_[node]->words()) {
      bounds_.set(node, word, 0);
      --counts_[word];
    }
    postings_ -= nodes_[node]->words().size();
    --live_;
    nodes_[node].reset();
  }

  bool block_is_empty(std::uint32_t block) const {
    const auto first =
        nodes_.begin() + static_cast<std::ptrdiff_t>(std::size_t{block} * kBlockNodes);
    const auto last = first + std::min<std::ptrdiff_t>(kBlockNodes, nodes_.end() - first);
    return std::all_of(first, last, [](const auto& node) { return node == nullptr; });
  }

  /// After a frame was added. Its words alone are set anew; of the others a mean has only become
  /// less, so what stands there still bounds it. It is brought up to date when the number of frames
  /// has doubled.
  void set_bounds(std::uint32_t node, const Terms& frame) {
    const NodeTerms& terms = *nodes_[node];
    const bool all = pooling_ == Pooling::mean && std::has_single_bit(terms.frames());
    std::size_t j = 0;
    for (std::size_t i = 0; i < terms.words().size(); ++i) {
      const std::uint32_t word = terms.words()[i];
      const bool in_frame = j < frame.size() && frame.words[j] == word;
      if (in_frame) ++j;
      if (all || in_frame) set_bound(node, i);
    }
  }

  /// Of the i-th word of a node. Never nothing, which would mean absent.
  void set_bound(std::uint32_t node, std::size_t i) {
    const NodeTerms& terms = *nodes_[node];
    bounds_.set(node, terms.words()[i], std::max<FixedWeight>(1, terms.weight(i, pooling_)));
  }

  /// Chooses rows and their steps by what is stored by now.
  void rebuild() {
    live_at_rebuild_ = std::max(live_, kFewNodes / 2);
    postings_at_rebuild_ = postings_;
    const std::uint64_t mean = kFixedOne / std::max<std::uint64_t>(1, frame_terms_ / frames_);
    const auto step = static_cast<FixedWeight>(mean / kLevelsToMean + 1);
    bounds_ = NodeBounds(counts_, live_, step);
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      if (nodes_[node] == nullptr) continue;
      for (std::size_t i = 0; i < nodes_[node]->words().size(); ++i) set_bound(node, i);
    }
  }

  /// The candidates whose bound reaches the threshold.
  std::vector<Suspect> suspect(const Terms& query, const Candidates& candidates,
                               FixedWeight threshold) const {
    const std::uint32_t first = candidates.first;
    const auto last = std::min(candidates.last, static_cast<std::uint32_t>(nodes_.size()));
    std::vector<Suspect> suspects;
    if (first >= last) return suspects;
    const std::vector<std::uint64_t> bounds = bounds_.bounds(query, first, last);
    const auto consider = [&](std::uint32_t node) {
      const std::uint64_t bound = bounds[node - first];
      if (bound >= threshold && nodes_[node] != nullptr) suspects.push_back({node, bound});
    };
    if (candidates.listed) {
      for (const std::uint32_t node : candidates.items) {
        if (node < last) consider(node);
      }
    } else {
      for (std::uint32_t node = first; node < last; ++node) consider(node);
    }
    return suspects;
  }

  Pooling pooling_;
  std::vector<std::unique_ptr<NodeTerms>> nodes_;  // none where no frame is left
  std::vector<std::uint32_t> counts_;              // by word: nodes that have it
  NodeBounds bounds_;
  std::uint64_t frame_terms_ = 0;
  std::uint64_t frames_ = 0;
  std::uint32_t live_ = 0;
  std::uint32_t live_at_rebuild_ = kFewNodes / 2;
  std::size_t postings_ = 0;
  std::size_t postings_at_rebuild_ = 0;
};

}  // namespace

std::unique_ptr<PooledLayer> make_pooled_layer(std::uint32_t vocabulary_size, Pooling pooling) {
  return std::make_unique<PooledNodes>(vocabulary_size, pooling);
}

}  // namespace looptree::detail
