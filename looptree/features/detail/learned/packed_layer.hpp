// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "looptree/features/detail/learned/network.hpp"

namespace looptree::detail {

/// Inputs are taken four at a time, outputs sixteen.
inline constexpr int kGroupInputs = 4;
inline constexpr int kBlockOutputs = 16;

/// The weights between four inputs and sixteen outputs, output by output: a cache line.
struct alignas(64) WeightGroup {
  std::int8_t weights[kBlockOutputs][kGroupInputs];
};

/// A layer as the kernels read it.
struct PackedLayer {
  int out = 0;
  int groups = 0;                    ///< of a block: what sums of one cell add up
  std::vector<WeightGroup> weights;  ///< of the first 16 outputs, group by group; of the next; ...
  std::vector<std::int32_t> bias;
  std::vector<float> scale;
};

/// `rows` runs of inputs follow each other in the weights of an output; each is filled up to whole
/// groups with weights of 0.
PackedLayer pack(const NetworkLayer& layer, int rows);

/// A network as the kernels read it.
struct PackedNetwork {
  explicit PackedNetwork(const Network& net);
  const PackedLayer& operator[](LayerId id) const { return layers[id]; }

  std::string name;
  float score_scale;
  int threshold;
  std::array<PackedLayer, kLayers> layers;
};

}  // namespace looptree::detail
