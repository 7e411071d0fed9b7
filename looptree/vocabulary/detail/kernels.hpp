// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "looptree/common/descriptors.hpp"
#include "looptree/vocabulary/detail/image.hpp"

// The inner loops, compiled for every instruction set. Rows are `stride` bytes apart, as
// stride_of() says, and zero behind the descriptor. All levels give the same answers to the bit:
// Hamming distances are whole numbers, and a squared distance adds element i to partial sum i % 16
// and then the partial sums in one fixed order.
namespace looptree::detail {

/// Rows side by side; binary or real as `type` says.
struct Rows {
  DescriptorType type;
  std::size_t stride;
  const std::byte* data;
  std::size_t count;
};

/// For each row the nearest of the `centres` (at least one), the first of equally near ones, and
/// the distance to it. One entry per row in both results.
void nearest(const Rows& rows, const Rows& centres, std::span<std::uint32_t> index,
             std::span<float> distance);

/// The distance from each row to one other.
void distances(const Rows& rows, const std::byte* other, std::span<float> distance);

/// Where the descriptors of a batch go in the tree.
struct Walk {
  std::span<std::uint32_t> words;
  std::span<std::uint32_t> nodes;  ///< empty, or the node passed at `level`
  std::size_t level = 0;
};

void walk(const VocabularyImage& image, DescriptorView descriptors, const Walk& walk);

}  // namespace looptree::detail
