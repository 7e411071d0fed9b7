// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/learned/network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <zlib.h>

#include "looptree/common/error.hpp"
#include "looptree/common/mapped_file.hpp"

static_assert(std::endian::native == std::endian::little,
              "numbers of the file are taken from memory as they are");

namespace looptree::detail {
namespace {

constexpr std::array<char, 8> kMagic{'\x89', 'L', 'T', 'N', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kNameBytes = 96;
constexpr std::size_t kLayerNameBytes = 8;
constexpr int kWidthStep = 16;
constexpr int kMostWidth = 256;
constexpr std::int32_t kMostBias = 1 << 30;
constexpr float kMostScale = 65536;

[[noreturn]] void damaged(const std::string& expected) {
  throw Error(ErrorKind::corruption, "expected a network with " + expected + ", found otherwise");
}

/// Takes numbers from the front of the file.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename Number>
  Number take() {
    Number number;
    std::memcpy(&number, next(sizeof(Number)), sizeof(Number));
    return number;
  }
  template <typename Number>
  std::vector<Number> take(std::size_t count) {
    const std::byte* from = next(count * sizeof(Number));
    std::vector<Number> numbers(count);
    // Of nothing there may be no address, which memcpy does not take.
    if (count > 0) std::memcpy(numbers.data(), from, count * sizeof(Number));
    return numbers;
  }
  /// Text that ends at the first zero byte, if there is one.
  std::string text(std::size_t size) {
    const char* from = reinterpret_cast<const char*>(next(size));
    return {from, std::find(from, from + size, '\0')};
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  const std::byte* next(std::size_t count) {
    if (bytes_.size() < count) damaged("all its layers before the end of the file");
    const std::byte* at = bytes_.data();
    bytes_ = bytes_.subspan(count);
    return at;
  }

  std::span<const std::byte> bytes_;
};

void check_numbers(const NetworkLayer& layer, const std::string& name) {
  const bool weights = std::all_of(layer.weights.begin(), layer.weights.end(),
                                   [](std::int8_t w) { return w >= -127; });
  if (!weights) damaged("weights of layer " + name + " from -127 to 127");
  const bool biases = std::all_of(layer.bias.begin(), layer.bias.end(),
                                  [](std::int32_t b) { return b >= -kMostBias && b <= kMostBias; });
  if (!biases) damaged("biases of layer " + name + " from -2^30 to 2^30");
  const bool scales = std::all_of(layer.scale.begin(), layer.scale.end(),
                                  [](float s) { return s >= 0 && s < kMostScale; });
  if (!scales) damaged("factors of layer " + name + " from 0 to 65536");
}

NetworkLayer take_layer(Cursor& cursor, const LayerShape& shape) {
  const std::string name(shape.name);
  const std::string found = cursor.text(kLayerNameBytes);
  if (found != name) damaged("a layer " + name + " in its place");
  NetworkLayer layer;
  layer.kernel = cursor.take<std::uint8_t>();
  layer.stride = cursor.take<std::uint8_t>();
  layer.in = cursor.take<std::uint16_t>();
  layer.out = cursor.take<std::uint16_t>();
  const auto scaled = cursor.take<std::uint16_t>();
  if (layer.kernel != shape.kernel || layer.stride != shape.stride ||
      scaled != (shape.scaled ? 1 : 0)) {
    damaged("the kernel, stride and kind of output of layer " + name + " as looptree has them");
  }
  if (layer.out < kWidthStep || layer.out > kMostWidth || layer.out % kWidthStep != 0) {
    damaged("a multiple of 16 channels, at most 256, out of layer " + name);
  }
  const auto area = static_cast<std::size_t>(layer.kernel) * layer.kernel;
  const auto out = static_cast<std::size_t>(layer.out);
  const std::size_t count = out * area * static_cast<std::size_t>(layer.in);
  layer.weights = cursor.take<std::int8_t>(count);
  layer.bias = cursor.take<std::int32_t>(out);
  if (shape.scaled) layer.scale = cursor.take<float>(out);
  check_numbers(layer, name);
  return layer;
}

/// Channels that go into each layer, from those that come out of others.
std::array<int, kLayers> inputs_of(const Network& net) {
  return {1,
          net[kA1].out,
          net[kA2].out,
          net[kA3].out,
          net[kB1].out,
          net[kB2].out,
          net[kC1].out,
          net[kC2].out,
          net[kC2].out,
          net[kD1].out,
          net[kD2].out,
          net[kD3].out,
          net[kB2].out,
          4 * net[kA3].out + net[kF].out,
          net[kK1a].out,
          net[kF].out};
}

void check_widths(const Network& net) {
  const std::array<int, kLayers> inputs = inputs_of(net);
  for (std::size_t i = 0; i < kLayers; ++i) {
    if (net.layers[i].in == inputs[i]) continue;
    throw Error(ErrorKind::corruption, "expected a network with " + std::to_string(inputs[i]) +
                                           " channels into layer " +
                                           std::string(kLayerShapes[i].name) + ", found " +
                                           std::to_string(net.layers[i].in));
  }
  if (net[kCp].out != net[kB2].out || net[kDp].out != net[kB2].out) {
    damaged("as many channels out of layers cp and dp as out of b2");
  }
  if (net[kK1b].out != kCellScores) damaged("64 scores out of layer k1b");
  if (net[kDesc].out != kLearnedBits) damaged("256 bits out of layer desc");
}

void check_checksum(std::span<const std::byte> bytes) {
  const std::size_t body = bytes.size() - sizeof(std::uint32_t);
  std::uint32_t stored = 0;
  std::memcpy(&stored, bytes.data() + body, sizeof(stored));
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  if (crc32_z(0, data, body) != stored) damaged("the checksum that stands at its end");
}

}  // namespace

Network parse_network(std::span<const std::byte> bytes, bool verify) {
  if (bytes.size() < kMagic.size() ||
      std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    throw Error(ErrorKind::corruption,
                "expected a network of looptree (docs/formats/network.md), found another file");
  }
  Cursor cursor(bytes.subspan(kMagic.size()));
  const auto version = cursor.take<std::uint32_t>();
  if (version != kVersion) {
    throw Error(ErrorKind::unsupported, "expected a network of version " +
                                            std::to_string(kVersion) + ", found " +
                                            std::to_string(version));
  }
  const auto size = cursor.take<std::uint32_t>();
  if (size != bytes.size()) {
    throw Error(ErrorKind::corruption, "expected a network of " + std::to_string(size) +
                                           " bytes, found " + std::to_string(bytes.size()));
  }
  Network net;
  const auto layers = cursor.take<std::uint32_t>();
  if (layers != kLayers) damaged("16 layers");
  net.score_scale = cursor.take<float>();
  if (!(net.score_scale >= 0 && net.score_scale < kMostScale)) {
    damaged("a factor of its scores from 0 to 65536");
  }
  net.threshold = cursor.take<std::int32_t>();
  if (net.threshold < -32768 || net.threshold > 32767) damaged("a threshold of 16 bits");
  net.name = cursor.text(kNameBytes);
  for (std::size_t i = 0; i < kLayers; ++i) net.layers[i] = take_layer(cursor, kLayerShapes[i]);
  cursor.take<std::uint32_t>();
  if (!cursor.at_end()) damaged("its end behind its last layer");
  if (verify) check_checksum(bytes);
  check_widths(net);
  return net;
}

Network read_network(const std::filesystem::path& path) {
  if (path.empty()) return parse_network(learned_weights());
  const MappedFile file(path);
  try {
    return parse_network(file.bytes());
  } catch (const Error& error) {
    throw Error(error.kind(), path.string() + ": " + error.what());
  }
}

}  // namespace looptree::detail
