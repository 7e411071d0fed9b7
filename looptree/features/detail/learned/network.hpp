// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "looptree/export.hpp"

namespace looptree::detail {

/// The layers of the network of learned features, in the order of its file. Letters are the side of
/// the map that a layer makes: a 1/2 and 1/4 of the image's, b 1/8, c 1/16, d 1/32.
enum LayerId : std::uint8_t {
  kA1,
  kA2,
  kA3,
  kB1,
  kB2,
  kC1,
  kC2,
  kCp,
  kD1,
  kD2,
  kD3,
  kDp,
  kF,     ///< of the sum of b, c and d
  kK1a,   ///< keypoints: of a3, four pixels as one, and f
  kK1b,   ///< the scores of 8 x 8 pixels
  kDesc,  ///< the bits of a descriptor
};
inline constexpr std::size_t kLayers = 16;

/// What is the same in every network.
struct LayerShape {
  std::string_view name;
  int kernel;   ///< 3 or 1 pixels wide and high
  int stride;   ///< 1 or 2
  bool scaled;  ///< sums become bytes again, by a factor per channel
};
inline constexpr std::array<LayerShape, kLayers> kLayerShapes{{{"a1", 3, 2, true},
                                                               {"a2", 3, 2, true},
                                                               {"a3", 3, 1, true},
                                                               {"b1", 3, 2, true},
                                                               {"b2", 3, 1, true},
                                                               {"c1", 3, 2, true},
                                                               {"c2", 3, 1, true},
                                                               {"cp", 1, 1, true},
                                                               {"d1", 3, 2, true},
                                                               {"d2", 3, 1, true},
                                                               {"d3", 3, 1, true},
                                                               {"dp", 1, 1, true},
                                                               {"f", 3, 1, true},
                                                               {"k1a", 1, 1, true},
                                                               {"k1b", 1, 1, false},
                                                               {"desc", 1, 1, false}}};

/// Scores of a cell of 8 x 8 pixels, and bits of a descriptor.
inline constexpr int kCellScores = 64;
inline constexpr int kLearnedBits = 256;
/// Activations are bytes up to this, so that the sum of two products with a weight fits 16 bits.
inline constexpr int kMostActive = 127;

/// A convolution: sums over kernel x kernel pixels and `in` channels for each of `out`.
struct NetworkLayer {
  int kernel = 1;
  int stride = 1;
  int in = 0;
  int out = 0;
  std::vector<std::int8_t> weights;  ///< [out][ky][kx][in], from -127 to 127
  std::vector<std::int32_t> bias;    ///< [out], added to the sum; at most 2^30 in size
  std::vector<float> scale;          ///< [out], finite, not negative; empty unless scaled
};

/// The weights of a network, as its file has them (docs/formats/network.md).
struct Network {
  std::string name;
  float score_scale = 1;       ///< from sums of k1b to scores
  std::int32_t threshold = 0;  ///< scores above it are keypoints
  std::array<NetworkLayer, kLayers> layers;

  const NetworkLayer& operator[](LayerId id) const { return layers[id]; }
};

/// Reads a network's file. Throws Error(corruption) for bytes that are no network, cut off or
/// altered, and Error(unsupported) for another version. Without `verify` the checksum is not
/// looked at; what is read is in range all the same.
LOOPTREE_EXPORT Network parse_network(std::span<const std::byte> bytes, bool verify = true);
/// The same of a file, which errors name, or of the weights in the box where no path is given.
/// Throws Error(not_found) or Error(io), too.
LOOPTREE_EXPORT Network read_network(const std::filesystem::path& path);

/// The file of the weights that the library comes with.
std::span<const std::byte> learned_weights();

}  // namespace looptree::detail
