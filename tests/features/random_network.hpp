// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <zlib.h>

#include "looptree/common/random.hpp"
#include "looptree/features/detail/learned/network.hpp"

namespace looptree::test {

/// Channels out of every layer.
using NetworkWidths = std::array<int, detail::kLayers>;
inline constexpr NetworkWidths kShippedWidths{16,  32,  32,  64, 64, 96, 96, 64,
                                              128, 128, 128, 64, 64, 64, 64, 256};
inline constexpr NetworkWidths kNarrowWidths{16, 16, 16, 16, 16, 16, 16, 16,
                                             16, 16, 16, 16, 16, 16, 64, 256};
/// Nothing of it fits the width of a vector or a tile.
inline constexpr NetworkWidths kOddWidths{48, 16, 80, 32,  112, 16, 48, 112,
                                          96, 80, 32, 112, 48,  80, 64, 256};

/// The file of a network of random weights that keep every layer lively, or, with `extreme`, of the
/// largest there are.
inline std::string random_network(std::uint64_t seed, const NetworkWidths& out = kNarrowWidths,
                                  int threshold = 0, bool extreme = false) {
  using namespace detail;
  Random random(seed);
  std::string file = "\x89LTN\r\n\x1a\n";
  const auto put = [&file](const auto& number) {
    file.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  const std::array<int, kLayers> in{
      1,       out[0], out[1], out[2], out[3],  out[4], out[5],
      out[6],  out[6], out[8], out[9], out[10], out[4], 4 * out[2] + out[12],
      out[13], out[12]};
  put(std::uint32_t{1});
  put(std::uint32_t{0});  // the size, below
  put(std::uint32_t{kLayers});
  put(500.0F / (73 * 30 * std::sqrt(static_cast<float>(in[kK1b]))));
  put(static_cast<std::int32_t>(threshold));
  file += std::string("random") + std::string(90, '\0');
  for (std::size_t i = 0; i < kLayers; ++i) {
    const LayerShape& shape = kLayerShapes[i];
    file += std::string(shape.name) + std::string(8 - shape.name.size(), '\0');
    put(static_cast<std::uint8_t>(shape.kernel));
    put(static_cast<std::uint8_t>(shape.stride));
    put(static_cast<std::uint16_t>(in[i]));
    put(static_cast<std::uint16_t>(out[i]));
    put(static_cast<std::uint16_t>(shape.scaled ? 1 : 0));
    const int count = shape.kernel * shape.kernel * in[i];
    for (int w = 0; w < out[i] * count; ++w) {
      const auto weight =
          extreme ? (random.below(2) == 0 ? 127 : -127) : static_cast<int>(random.below(255)) - 127;
      put(static_cast<std::int8_t>(weight));
    }
    const float spread = 73 * 30 * std::sqrt(static_cast<float>(count));
    for (int c = 0; c < out[i]; ++c) {
      const double part = random.uniform() - 0.5;
      put(static_cast<std::int32_t>(part * static_cast<double>(spread)));
    }
    for (int c = 0; c < out[i] && shape.scaled; ++c) {
      put((30 + 30 * static_cast<float>(random.uniform())) / spread);
    }
  }
  const auto size = static_cast<std::uint32_t>(file.size() + 4);
  std::memcpy(file.data() + 12, &size, 4);
  put(static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(file.data()), file.size())));
  return file;
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace looptree::test
