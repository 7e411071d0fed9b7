// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "looptree/histogram/fixed_point.hpp"

namespace looptree::detail {

/// A node or a frame with the score it was given.
struct Scored {
  std::uint32_t item = 0;
  FixedWeight sum = 0;
  friend bool operator==(const Scored&, const Scored&) = default;
};

/// The order of every answer: higher score first, then lower id.
inline bool better(const Scored& a, const Scored& b) {
  return a.sum != b.sum ? a.sum > b.sum : a.item < b.item;
}

/// Keeps the best of what a layer offers. A layer asks one question, threshold(), to decide what it
/// may skip; whether there is a fixed threshold, a cut to k, or both, only the collector knows.
/// What it keeps does not depend on the order of offers.
class Collector {
 public:
  using Accept = std::function<bool(std::uint32_t item)>;

  /// Keeps at most `limit` items of at least `floor` that `accept` (if any) lets through.
  Collector(std::size_t limit, FixedWeight floor, const Accept* accept = nullptr);

  /// The least sum that may still be kept; at least 1, and never falling.
  FixedWeight threshold() const { return threshold_; }
  std::size_t limit() const { return limit_; }
  bool full() const { return kept_.size() == limit_; }

  void offer(std::uint32_t item, FixedWeight sum) {
    ++offers_;
    if (sum >= threshold_) consider({item, sum < kFixedOne ? sum : kFixedOne});
  }

  /// A collector like this one that starts from its threshold, for a part of the candidates.
  Collector fork() const { return Collector(limit_, threshold_, accept_); }
  /// Takes in what a fork kept.
  void merge(const Collector& fork);

  /// How many items were offered so far.
  std::size_t offers() const { return offers_; }

  /// What was kept, best first. Ends the collector's use.
  std::vector<Scored> take();

 private:
  void consider(Scored scored);
  void keep(Scored scored);

  std::size_t limit_;
  FixedWeight threshold_;
  std::size_t offers_ = 0;
  const Accept* accept_;
  std::vector<Scored> kept_;  // a heap with the worst on top, once there are limit_ of them
};

}  // namespace looptree::detail
