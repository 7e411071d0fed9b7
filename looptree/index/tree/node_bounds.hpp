// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/index/core/huge_pages.hpp"
#include "looptree/index/kernels/node_levels.hpp"

namespace looptree::detail {

/// For each word, what every node has of it at most: in a row of bytes where many nodes have the
/// word, in a list where few do. Gives upper bounds on the scores of all nodes at once.
class NodeBounds {
 public:
  explicit NodeBounds(std::uint32_t vocabulary_size);

  /// Which words get rows, and how finely: `counts` says how many of `nodes` nodes have each word,
  /// `quantum` what a level of a row is worth. Starts empty.
  NodeBounds(const std::vector<std::uint32_t>& counts, std::uint32_t nodes, FixedWeight quantum);

  /// Sets what a node has of a word at most; 0 takes it out.
  void set(std::uint32_t node, std::uint32_t word, FixedWeight weight);

  /// Frees what a block of nodes took, none of which has a word left.
  void release(std::uint32_t block);

  /// Upper bounds on the scores of nodes [first, last), by node from `first` on.
  std::vector<std::uint64_t> bounds(const FixedView& query, std::uint32_t first,
                                    std::uint32_t last) const;

  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
  struct Posting {
    std::uint32_t node;
    FixedWeight weight;
  };

  static void set_posting(std::vector<Posting>& list, std::uint32_t node, FixedWeight weight);
  std::uint8_t level(FixedWeight weight) const;

  FixedWeight quantum_ = 1;
  std::uint32_t rows_ = 0;
  std::vector<std::uint32_t> row_of_;  // by word: bytes from the start of a block, or kNoRow
  std::vector<std::vector<Posting>> lists_;
  LinePool pool_;
  std::vector<Lines> blocks_;  // empty where no node has a word with a row
};

}  // namespace looptree::detail
