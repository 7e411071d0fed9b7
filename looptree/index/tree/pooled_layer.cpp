// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/tree/pooled_layer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "looptree/index/search/query_lookup.hpp"

namespace looptree::detail {
namespace {

/// Quanta to the mean weight of a word in a frame: most weights of a query then fit a byte, and
/// rounding up adds little to what a node of many frames has of a word.
constexpr std::uint64_t kQuantaToMean = 100;
/// Nodes below which rows are not worth having.
constexpr std::uint32_t kFewNodes = 16;

/// First which words are common, without branches, which could not be predicted. Then what they
/// weigh, since a mean takes a division.
FixedWeight score(const NodeWords& node, Pooling pooling, const QueryLookup& query,
                  Workspace& workspace) {
  const std::vector<std::uint32_t>& words = node.words();
  std::uint32_t* const common = workspace.numbers(words.size() + 1);
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    common[count] = i;
    count += query.may_have(words[i]);
  }
  FixedWeight sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += std::min(query.weight(words[common[i]]), node.weight(common[i], pooling));
  }
  return sum;
}

/// What bounds say of the i-th word of a node. Never nothing, which would mean absent.
void set_bound(NodeBounds& bounds, std::uint32_t node, const NodeWords& words, std::size_t i,
               Pooling pooling) {
  bounds.set(node, words.words()[i], std::max<FixedWeight>(1, words.weight(i, pooling)));
}

}  // namespace

PooledLayer::PooledLayer(std::uint32_t vocabulary_size, Pooling pooling)
    : pooling_(pooling),
      counts_(vocabulary_size, 0),
      bounds_(vocabulary_size),
      live_at_rebuild_(kFewNodes / 2) {}

void PooledLayer::pool(std::uint32_t node, const FixedView& frame) {
  if (node >= nodes_.size()) nodes_.resize(node + 1);
  add(node, frame);
  if (live_ >= 2 * live_at_rebuild_) rebuild();
}

bool PooledLayer::forget(std::uint32_t node) noexcept {
  if (node >= nodes_.size()) return false;
  Node& its = nodes_[node];
  if (its.gone < its.pooled) ++its.gone;
  return its.gone * std::uint64_t{2} >= its.pooled;
}

void PooledLayer::repool(std::uint32_t node, std::span<const FixedHistogram> frames) {
  clear(node);
  for (const FixedHistogram& frame : frames) add(node, frame.view());
  if (frames.empty() && block_is_empty(node / kBlockNodes)) bounds_.release(node / kBlockNodes);
  if (2 * postings_ < postings_at_rebuild_) rebuild();
}

bool PooledLayer::as_stored() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.gone == 0; });
}

void PooledLayer::search(const FixedView& query, const Candidates& candidates, Collector& collector,
                         Workspace& workspace) const {
  std::vector<Survivor> all = survivors(query, candidates, collector.threshold());
  if (all.empty()) return;
  std::sort(all.begin(), all.end(),
            [](const Survivor& a, const Survivor& b) { return a.bound > b.bound; });
  const QueryLookup lookup(query, static_cast<std::uint32_t>(counts_.size()), nullptr, workspace);
  for (const Survivor& each : all) {
    if (each.bound < collector.threshold()) return;
    collector.offer(each.node, score(*nodes_[each.node].words, pooling_, lookup, workspace));
  }
}

void PooledLayer::bound(const FixedView& query, const Candidates& candidates,
                        Collector& collector) const {
  for (const Survivor& each : survivors(query, candidates, collector.threshold())) {
    collector.offer(each.node,
                    static_cast<FixedWeight>(std::min<std::uint64_t>(each.bound, kFixedOne)));
  }
}

void PooledLayer::add(std::uint32_t node, const FixedView& frame) {
  Node& its = nodes_[node];
  if (its.words == nullptr) {
    its.words = std::make_unique<NodeWords>();
    ++live_;
  }
  const std::vector<std::uint32_t> fresh = its.words->add(frame, pooling_);
  ++its.pooled;
  for (const std::uint32_t word : fresh) ++counts_[word];
  postings_ += fresh.size();
  frame_words_ += frame.size();
  ++frames_;
  set_bounds(node, frame);
}

void PooledLayer::clear(std::uint32_t node) {
  Node& its = nodes_[node];
  if (its.words == nullptr) return;
  for (const std::uint32_t word : its.words->words()) {
    bounds_.set(node, word, 0);
    --counts_[word];
  }
  postings_ -= its.words->words().size();
  --live_;
  its = {};
}

bool PooledLayer::block_is_empty(std::uint32_t block) const {
  const auto first = nodes_.begin() + static_cast<std::ptrdiff_t>(std::size_t{block} * kBlockNodes);
  const auto last = first + std::min<std::ptrdiff_t>(kBlockNodes, nodes_.end() - first);
  return std::all_of(first, last, [](const Node& node) { return node.words == nullptr; });
}

/// After a frame was added. The bounds of its words alone are set anew; of the others a mean has
/// only become less, so what stands there still bounds it. It is brought up to date when the number
/// of frames has doubled.
void PooledLayer::set_bounds(std::uint32_t node, const FixedView& frame) {
  const NodeWords& words = *nodes_[node].words;
  const bool all = pooling_ == Pooling::mean && std::has_single_bit(words.frames());
  std::size_t j = 0;
  for (std::size_t i = 0; i < words.words().size(); ++i) {
    const bool in_frame = j < frame.size() && frame.words[j] == words.words()[i];
    if (in_frame) ++j;
    if (all || in_frame) set_bound(bounds_, node, words, i, pooling_);
  }
}

void PooledLayer::rebuild() {
  const std::uint64_t mean = kFixedOne / std::max<std::uint64_t>(1, frame_words_ / frames_);
  const auto quantum = static_cast<FixedWeight>(mean / kQuantaToMean + 1);
  NodeBounds fresh(counts_, live_, quantum);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].words == nullptr) continue;
    const NodeWords& words = *nodes_[node].words;
    for (std::size_t i = 0; i < words.words().size(); ++i) {
      set_bound(fresh, node, words, i, pooling_);
    }
  }
  bounds_ = std::move(fresh);
  live_at_rebuild_ = std::max(live_, kFewNodes / 2);
  postings_at_rebuild_ = postings_;
}

/// The candidates whose bound reaches the threshold.
std::vector<PooledLayer::Survivor> PooledLayer::survivors(const FixedView& query,
                                                          const Candidates& candidates,
                                                          FixedWeight threshold) const {
  const std::uint32_t first = candidates.first;
  const auto last = std::min(candidates.last, static_cast<std::uint32_t>(nodes_.size()));
  std::vector<Survivor> survivors;
  if (first >= last) return survivors;
  const std::vector<std::uint64_t> bounds = bounds_.bounds(query, first, last);
  const auto consider = [&](std::uint32_t node) {
    const std::uint64_t bound = bounds[node - first];
    if (bound >= threshold && nodes_[node].words != nullptr) survivors.push_back({node, bound});
  };
  if (candidates.listed) {
    for (const std::uint32_t node : candidates.items) {
      if (node < last) consider(node);
    }
  } else {
    for (std::uint32_t node = first; node < last; ++node) consider(node);
  }
  return survivors;
}

std::size_t PooledLayer::bytes() const {
  std::size_t bytes = counts_.capacity() * sizeof(counts_[0]) + bounds_.bytes();
  bytes += nodes_.capacity() * sizeof(nodes_[0]);
  for (const Node& node : nodes_) bytes += node.words ? sizeof(NodeWords) + node.words->bytes() : 0;
  return bytes;
}

}  // namespace looptree::detail
