// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "looptree/features/detail/learned/packed_layer.hpp"

namespace looptree::detail {

/// Inputs of a row of cells that lie in one run of memory for each of them. All of them are at most
/// 127.
struct ConvPart {
  const std::uint8_t* at;  ///< of the first cell
  std::size_t step;        ///< bytes to those of the next cell
  int groups;              ///< of four bytes; of the last group all can be read
};

/// A row of cells of a layer's output, and what goes into it: the parts, in the order of the
/// layer's groups, which they make up together.
struct ConvRow {
  const PackedLayer* layer;
  std::array<ConvPart, 3> parts;
  int part_count;
  int cells;
};

/// Sums times their factors, rounded half to even, from 0 to 127, for each cell `layer.out` bytes
/// that follow each other.
void convolve(const ConvRow& row, std::uint8_t* out);

/// Sums times their factors, rounded half to even, from -32768 to 32767.
void convolve(const ConvRow& row, std::int16_t* out);

}  // namespace looptree::detail
