// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <utility>

#include "looptree/index/detail/layer.hpp"

namespace looptree::detail {
namespace {

constexpr std::uint32_t kDead = ~std::uint32_t{0};

/// What a slot has of a word: the maximum, or the sum, over its frames.
struct Posting {
  std::uint32_t slot;
  std::uint64_t value;
};

/// For each word the nodes that have it. A node is stored in a slot; pooled anew it moves to a
/// fresh one, and the postings of the old slot are swept out later, so nobody needs to know its
/// words.
class PooledLists final : public PooledLayer {
 public:
  PooledLists(std::uint32_t vocabulary_size, Pooling pooling)
      : pooling_(pooling), lists_(vocabulary_size) {}

  void pool(std::uint32_t node, const Terms& frame) override {
    if (node >= slot_of_.size()) slot_of_.resize(node + 1, kDead);
    if (slot_of_[node] == kDead) open_slot(node);
    add(slot_of_[node], frame);
  }

  void repool(std::uint32_t node, std::span<const OwnedTerms> frames) override {
    if (slot_of_[node] != kDead) {
      node_of_[slot_of_[node]] = kDead;
      slot_of_[node] = kDead;
      ++dead_slots_;
    }
    for (const OwnedTerms& frame : frames) pool(node, frame.view());
    if (dead_slots_ * 2 >= node_of_.size()) sweep();
  }

  void search(const Terms& query, const Candidates& candidates,
              Collector& collector) const override {
    std::vector<FixedWeight> sums(node_of_.size(), 0);
    for (std::size_t i = 0; i < query.size(); ++i) {
      for (const Posting& posting : lists_[query.words[i]]) {
        sums[posting.slot] += std::min(query.weights[i], weight(posting));
      }
    }
    const auto offer = [&](std::uint32_t node) {
      if (node < slot_of_.size() && slot_of_[node] != kDead) {
        collector.offer(node, sums[slot_of_[node]]);
      }
    };
    if (candidates.listed) {
      for (const std::uint32_t node : candidates.items) offer(node);
    } else {
      for (std::uint32_t node = candidates.first; node < candidates.last; ++node) offer(node);
    }
  }

  std::size_t bytes() const override {
    std::size_t bytes =
        lists_.capacity() * sizeof(lists_[0]) +
        (slot_of_.capacity() + node_of_.capacity() + frames_in_.capacity()) * sizeof(std::uint32_t);
    for (const auto& list : lists_) bytes += list.capacity() * sizeof(Posting);
    return bytes;
  }

 private:
  void open_slot(std::uint32_t node) {
    slot_of_[node] = static_cast<std::uint32_t>(node_of_.size());
    node_of_.push_back(node);
    frames_in_.push_back(0);
  }

  void add(std::uint32_t slot, const Terms& frame) {
    ++frames_in_[slot];
    for (std::size_t i = 0; i < frame.size(); ++i) {
      auto& list = lists_[frame.words[i]];
      const auto place = std::lower_bound(
          list.begin(), list.end(), slot,
          [](const Posting& posting, std::uint32_t wanted) { return posting.slot < wanted; });
      if (place == list.end() || place->slot != slot) {
        list.insert(place, {slot, frame.weights[i]});
      } else if (pooling_ == Pooling::max) {
        place->value = std::max<std::uint64_t>(place->value, frame.weights[i]);
      } else {
        place->value += frame.weights[i];
      }
    }
  }

  FixedWeight weight(const Posting& posting) const {
    if (pooling_ == Pooling::mean) {
      return static_cast<FixedWeight>(posting.value / frames_in_[posting.slot]);
    }
    // No query weight exceeds one, so neither need a sum.
    return static_cast<FixedWeight>(std::min<std::uint64_t>(posting.value, kFixedOne));
  }

  /// Renumbers the slots without the dead ones and drops their postings.
  void sweep() {
    std::vector<std::uint32_t> renumbered(node_of_.size(), kDead);
    std::uint32_t live = 0;
    for (std::uint32_t slot = 0; slot < node_of_.size(); ++slot) {
      if (node_of_[slot] == kDead) continue;
      renumbered[slot] = live;
      slot_of_[node_of_[slot]] = live;
      frames_in_[live] = frames_in_[slot];
      node_of_[live++] = node_of_[slot];
    }
    node_of_.resize(live);
    frames_in_.resize(live);
    for (auto& list : lists_) {
      std::erase_if(list,
                    [&](const Posting& posting) { return renumbered[posting.slot] == kDead; });
      for (Posting& posting : list) posting.slot = renumbered[posting.slot];
      list.shrink_to_fit();
    }
    dead_slots_ = 0;
  }

  Pooling pooling_;
  std::vector<std::vector<Posting>> lists_;
  std::vector<std::uint32_t> slot_of_;    // by node
  std::vector<std::uint32_t> node_of_;    // by slot
  std::vector<std::uint32_t> frames_in_;  // by slot
  std::size_t dead_slots_ = 0;
};

}  // namespace

std::unique_ptr<PooledLayer> make_pooled_layer(std::uint32_t vocabulary_size, Pooling pooling) {
  return std::make_unique<PooledLists>(vocabulary_size, pooling);
}

}  // namespace looptree::detail
