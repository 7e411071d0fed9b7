// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "looptree/histogram/fixed_point.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/query.hpp"
#include "looptree/index/topology.hpp"

namespace looptree::test {

/// The paper's data structure written down plainly: every node is a map from word to pooled weight,
/// made from scratch for each query, and the search walks the tree layer by layer.
class PaperSearch {
 public:
  explicit PaperSearch(Topology topology) : topology_(std::move(topology)) {}

  void insert(const Histogram& histogram) {
    frames_.push_back(fixed(histogram));
    alive_.push_back(true);
    for (std::size_t l = 1; l < topology_.depth(); ++l) {
      pooled_[{l, node_of(l, frames_.size() - 1)}].insert(frames_.size() - 1);
    }
  }

  void erase(std::size_t frame) {
    alive_[frame] = false;
    for (std::size_t l = 1; l < topology_.depth(); ++l) {
      std::set<std::size_t>& members = pooled_[{l, node_of(l, frame)}];
      std::set<std::size_t> left;
      for (const std::size_t member : members) {
        if (alive_[member]) left.insert(member);
      }
      if (left.size() * 2 <= members.size()) members = left;  // half of them are gone
    }
  }

  /// What a node's pooled histogram scores.
  FixedWeight node_score(std::size_t layer, std::size_t node, const Histogram& query) const {
    const auto found = pooled_.find({layer, node});
    if (found == pooled_.end() || found->second.empty()) return 0;
    std::map<std::uint32_t, std::uint64_t> pooled;
    for (const std::size_t member : found->second) {
      for (const auto& [word, weight] : frames_[member]) {
        std::uint64_t& value = pooled[word];
        value = topology_.pooling() == Pooling::max ? std::max<std::uint64_t>(value, weight)
                                                    : value + weight;
      }
    }
    const std::uint64_t divisor = topology_.pooling() == Pooling::mean ? found->second.size() : 1;
    FixedWeight sum = 0;
    for (const auto& [word, weight] : fixed(query)) {
      const auto at = pooled.find(word);
      if (at == pooled.end()) continue;
      sum += static_cast<FixedWeight>(std::min<std::uint64_t>(weight, at->second / divisor));
    }
    return sum;
  }

  FixedWeight frame_score(std::size_t frame, const Histogram& query) const {
    FixedWeight sum = 0;
    for (const auto& [word, weight] : fixed(query)) {
      const auto at = frames_[frame].find(word);
      if (at != frames_[frame].end()) sum += std::min(weight, at->second);
    }
    return sum;
  }

  /// Greedy breadth-first search with a threshold, or with a beam.
  std::vector<Match> query(const Histogram& query, const QueryOptions& options) const {
    std::set<std::size_t> open;  // nodes of the current layer whose score is wanted
    std::size_t layer = top_layer();
    for (std::size_t node = 0; node < nodes(layer); ++node) open.insert(node);
    for (; layer > 0; --layer) {
      std::vector<std::pair<FixedWeight, std::size_t>> ranked;
      for (const std::size_t node : open) ranked.emplace_back(node_score(layer, node, query), node);
      std::stable_sort(ranked.begin(), ranked.end(),
                       [](const auto& a, const auto& b) { return a.first > b.first; });
      open.clear();
      const bool beam = options.beam != QueryOptions::kUnlimited;
      for (std::size_t i = 0; i < ranked.size(); ++i) {
        const bool descend = beam
                                 ? i < options.beam && ranked[i].first > 0
                                 : from_fixed(ranked[i].first) >= options.slack * options.threshold;
        if (!descend) continue;
        for (std::size_t child = 0; child < nodes(layer - 1); ++child) {
          if (parent(layer - 1, child) == ranked[i].second) open.insert(child);
        }
      }
    }
    std::vector<Match> matches;
    for (const std::size_t frame : open) {
      const FixedWeight sum = alive_[frame] ? frame_score(frame, query) : 0;
      if (sum == 0 || from_fixed(sum) < options.threshold) continue;
      matches.push_back({FrameId{static_cast<std::uint32_t>(frame)}, from_fixed(sum)});
    }
    std::stable_sort(matches.begin(), matches.end(),
                     [](const Match& a, const Match& b) { return a.score > b.score; });
    if (matches.size() > options.top_k) matches.resize(options.top_k);
    return matches;
  }

  std::size_t node_of(std::size_t layer, std::size_t frame) const {
    std::size_t item = frame;
    for (std::size_t l = 0; l < layer; ++l) item = parent(l, item);
    return item;
  }

  std::size_t top_layer() const {
    std::size_t layer = 0;
    while (layer + 1 < topology_.depth() && nodes(layer) > 1) ++layer;
    return layer;
  }

  std::size_t nodes(std::size_t layer) const {
    if (layer == 0) return frames_.size();
    if (topology_.is_grouped()) {
      const Groups& groups = topology_.groups()[layer - 1];
      return *std::max_element(groups.begin(), groups.end()) + std::size_t{1};
    }
    return frames_.empty() ? 0 : node_of(layer, frames_.size() - 1) + 1;
  }

 private:
  static std::map<std::uint32_t, FixedWeight> fixed(const Histogram& histogram) {
    std::map<std::uint32_t, FixedWeight> result;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      result[histogram.words()[i].value] = to_fixed(histogram.weights()[i]);
    }
    return result;
  }

  std::size_t parent(std::size_t layer, std::size_t item) const {
    return topology_.is_grouped() ? topology_.groups()[layer][item] : item / topology_.branching();
  }

  Topology topology_;
  std::vector<std::map<std::uint32_t, FixedWeight>> frames_;
  std::vector<bool> alive_;
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> pooled_;
};

}  // namespace looptree::test
