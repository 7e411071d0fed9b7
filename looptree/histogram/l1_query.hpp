// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "looptree/export.hpp"
#include "looptree/histogram/histogram.hpp"

namespace looptree {

/// One histogram to be compared with several, by DBoW2's L1 score: the same number, to the last
/// bit, as score(Score::l1, query, other), several times faster.
///
/// Immutable once made; safe to use from several threads. Making one costs the words of the query
/// and a bit per word of the vocabulary, a score the words of the other histogram.
class LOOPTREE_EXPORT L1Query {
 public:
  /// `query` outlives this.
  explicit L1Query(const Histogram& query);
  /// A histogram that ends with the line would be gone by the first score().
  explicit L1Query(Histogram&& query) = delete;

  double score(const Histogram& other) const;

 private:
  const Histogram& query_;
  std::vector<std::uint64_t> bits_;   // one per word up to the query's last
  std::vector<std::uint32_t> ranks_;  // words of the query before each of bits_
};

}  // namespace looptree
