// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/learned/packed_layer.hpp"

#include <algorithm>

namespace looptree::detail {

PackedLayer pack(const NetworkLayer& layer, int rows) {
  PackedLayer packed;
  packed.out = layer.out;
  packed.bias = layer.bias;
  packed.scale = layer.scale;
  const int inputs = layer.kernel * layer.kernel * layer.in;
  const int row_inputs = inputs / rows;
  const int row_groups = (row_inputs + kGroupInputs - 1) / kGroupInputs;
  packed.groups = rows * row_groups;
  packed.weights.resize(static_cast<std::size_t>(layer.out) / kBlockOutputs * packed.groups);
  for (int out = 0; out < layer.out; ++out) {
    const std::int8_t* from = layer.weights.data() + static_cast<std::size_t>(out) * inputs;
    WeightGroup* block =
        packed.weights.data() + static_cast<std::size_t>(out / kBlockOutputs) * packed.groups;
    for (int i = 0; i < inputs; ++i) {
      const int row = i / row_inputs;
      const int at = i % row_inputs;
      block[row * row_groups + at / kGroupInputs].weights[out % kBlockOutputs][at % kGroupInputs] =
          from[i];
    }
  }
  return packed;
}

PackedNetwork::PackedNetwork(const Network& net)
    : name(net.name), score_scale(net.score_scale), threshold(net.threshold) {
  for (std::size_t i = 0; i < kLayers; ++i) layers[i] = pack(net.layers[i], net.layers[i].kernel);
  // Scores share one factor.
  PackedLayer& scores = layers[kK1b];
  scores.scale.assign(static_cast<std::size_t>(scores.out), net.score_scale);
  // A bit is whether its sum is not negative: whether one more, cut off below 0, is not 0.
  PackedLayer& bits = layers[kDesc];
  bits.scale.assign(static_cast<std::size_t>(bits.out), 1.0F);
  for (std::int32_t& bias : bits.bias) ++bias;
}

}  // namespace looptree::detail
