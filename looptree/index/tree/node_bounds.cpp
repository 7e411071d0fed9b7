// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/tree/node_bounds.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace looptree::detail {
namespace {

/// A row takes a byte a node, a list eight bytes for each node that has the word.
constexpr std::uint32_t kNodesPerRow = 8;

}  // namespace

NodeBounds::NodeBounds(std::uint32_t vocabulary_size)
    : row_of_(vocabulary_size, kNoRow), lists_(vocabulary_size) {}

NodeBounds::NodeBounds(const std::vector<std::uint32_t>& counts, std::uint32_t nodes,
                       FixedWeight quantum)
    : quantum_(quantum), row_of_(counts.size(), kNoRow), lists_(counts.size()) {
  for (std::size_t word = 0; word < counts.size(); ++word) {
    if (counts[word] >= nodes / kNodesPerRow + 1) row_of_[word] = rows_++ * kBlockNodes;
  }
}

std::uint8_t NodeBounds::level(FixedWeight weight) const {
  const std::uint64_t level = (std::uint64_t{weight} + quantum_ - 1) / quantum_;
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(level, kOpenLevel));
}

void NodeBounds::set(std::uint32_t node, std::uint32_t word, FixedWeight weight) {
  if (row_of_[word] == kNoRow) {
    set_posting(lists_[word], node, weight);
    return;
  }
  const std::uint32_t block = node / kBlockNodes;
  if (block >= blocks_.size()) blocks_.resize(block + 1);
  if (blocks_[block].empty()) blocks_[block] = pool_.allocate(rows_);
  blocks_[block].data()[row_of_[word] + node % kBlockNodes] = level(weight);
}

void NodeBounds::release(std::uint32_t block) {
  if (block < blocks_.size()) blocks_[block] = {};
}

void NodeBounds::set_posting(std::vector<Posting>& list, std::uint32_t node, FixedWeight weight) {
  const auto place = std::lower_bound(
      list.begin(), list.end(), node,
      [](const Posting& posting, std::uint32_t wanted) { return posting.node < wanted; });
  const bool found = place != list.end() && place->node == node;
  if (found && weight != 0) {
    place->weight = weight;
  } else if (found) {
    list.erase(place);
  } else if (weight != 0) {
    list.insert(place, {node, weight});
  }
}

std::vector<std::uint64_t> NodeBounds::bounds(const FixedView& query, std::uint32_t first,
                                              std::uint32_t last) const {
  std::vector<std::uint64_t> bounds(last - first, 0);
  std::vector<LevelRow> rows;
  rows.reserve(query.size());
  for (std::size_t i = 0; i < query.size(); ++i) {
    const std::uint32_t word = query.words[i];
    if (const std::uint32_t row = row_of_[word]; row != kNoRow) {
      // A query far heavier than any node has levels that do not fit; the sum then stops, too.
      const std::uint64_t level = std::min<std::uint64_t>(
          (std::uint64_t{query.weights[i]} + quantum_ - 1) / quantum_, kOpenLevel + 0xFFFFu);
      const auto capped = static_cast<std::uint8_t>(std::min<std::uint64_t>(level, kOpenLevel));
      rows.push_back({row, capped, static_cast<std::uint16_t>(level - capped)});
      continue;
    }
    for (const Posting& posting : lists_[word]) {
      if (posting.node >= first && posting.node < last) {
        bounds[posting.node - first] += std::min(query.weights[i], posting.weight);
      }
    }
  }
  if (rows.empty()) return bounds;
  const bool far = is_far(std::uint64_t{(last - first) / kBlockNodes} * rows.size());
  for (std::uint32_t block = first / kBlockNodes;
       block < blocks_.size() && block * kBlockNodes < last; ++block) {
    if (blocks_[block].empty()) continue;
    std::array<std::uint16_t, kBlockNodes> sums{};
    const bool more = block + 1 < blocks_.size() && (block + 1) * kBlockNodes < last;
    add_levels(rows, {blocks_[block].data(), more ? blocks_[block + 1].data() : nullptr, far},
               sums.data());
    const std::uint32_t begin = std::max(first, block * kBlockNodes);
    const std::uint32_t end = std::min(last, (block + 1) * kBlockNodes);
    for (std::uint32_t node = begin; node < end; ++node) {
      const std::uint16_t sum = sums[node % kBlockNodes];
      bounds[node - first] = sum == 0xFFFF ? std::numeric_limits<std::uint64_t>::max()
                                           : bounds[node - first] + std::uint64_t{sum} * quantum_;
    }
  }
  return bounds;
}

std::size_t NodeBounds::bytes() const {
  std::size_t bytes = row_of_.capacity() * sizeof(row_of_[0]) +
                      lists_.capacity() * sizeof(lists_[0]) + pool_.unused_bytes();
  for (const auto& list : lists_) bytes += list.capacity() * sizeof(Posting);
  for (const Lines& block : blocks_) bytes += sizeof(Lines) + block.bytes();
  return bytes;
}

}  // namespace looptree::detail
