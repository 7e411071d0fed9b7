// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/index/detail/large_memory.hpp"

namespace looptree::detail {

/// What one occurrence of a word weighs before normalisation (its idf), for every word. An image's
/// weight of a word is then a small whole number (how often it occurs) times this, times one factor
/// for the whole image. Everything compact in the index rests on that; nothing exact does: weights
/// that do not follow it are stored and scored just as well, only in more space.
class WordUnits {
 public:
  /// An empty table means 1 for every word; so does an entry that is not a positive number.
  WordUnits(std::span<const double> word_weights, std::uint32_t vocabulary_size);

  std::uint32_t words() const { return static_cast<std::uint32_t>(values_.size() / 2); }
  double operator[](std::uint32_t word) const { return values_[word]; }
  const double* data() const { return values_.data(); }
  double inverse(std::uint32_t word) const { return values_[std::size_t{words()} + word]; }
  std::size_t bytes() const { return large_bytes(values_.capacity() * sizeof(double)); }

 private:
  LargeVector<double> values_;  // all units, then all inverses: one piece is sooner large
};

}  // namespace looptree::detail
