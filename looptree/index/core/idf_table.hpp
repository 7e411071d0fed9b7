// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/index/core/huge_pages.hpp"

namespace looptree::detail {

/// The idf of every word: what one occurrence weighs before normalisation. An image's weight of a
/// word is then tf (a small whole number) x idf x one factor for the whole image. Everything
/// compact in the index rests on that; nothing exact does: weights that do not follow it are stored
/// and scored just as well, only in more space.
class IdfTable {
 public:
  /// An empty span means 1 for every word; so does an entry that is not a positive number.
  IdfTable(std::span<const double> word_weights, std::uint32_t vocabulary_size);

  std::uint32_t words() const { return static_cast<std::uint32_t>(above_.size()); }
  double operator[](std::uint32_t word) const { return values_[word]; }
  const double* data() const { return values_.data(); }
  double inverse(std::uint32_t word) const { return values_[std::size_t{words()} + word]; }
  /// In single precision, rounded up: what bounds are made of.
  float above(std::uint32_t word) const { return above_[word]; }
  std::size_t bytes() const {
    return huge_bytes(values_.capacity() * sizeof(double)) +
           huge_bytes(above_.capacity() * sizeof(float));
  }

 private:
  HugeVector<double> values_;  // every idf, then every inverse: one piece fills huge pages sooner
  HugeVector<float> above_;
};

}  // namespace looptree::detail
