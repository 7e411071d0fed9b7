// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "looptree/features/detail/learned/network.hpp"

#include "tests/features/random_network.hpp"
#include "tests/fuzz/network_target.hpp"
#include "tests/support.hpp"

// The file of a network: what is written is read, and what is cut off or altered is refused.
namespace looptree {
namespace {

using detail::parse_network;
using test::exercise_network;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

void refuse(const std::string& file, ErrorKind kind, const std::string& fragment) {
  test::expect_error(kind, fragment, [&] { parse_network(bytes_of(file), false); });
}

/// Where layer `id` starts in the file.
std::size_t layer_start(const std::string& file, detail::LayerId id) {
  const std::string name(detail::kLayerShapes[id].name);
  return file.find(name + std::string(8 - name.size(), '\0'));
}

TEST(NetworkFile, IsReadAsItWasWritten) {
  const std::string file = test::random_network(1, test::kShippedWidths, -77);
  const detail::Network net = parse_network(bytes_of(file));
  EXPECT_EQ(net.name, "random");
  EXPECT_EQ(net.threshold, -77);
  EXPECT_NEAR(net.score_scale, 500.0 / (73 * 30 * 8), 1e-6);
  for (std::size_t i = 0; i < detail::kLayers; ++i) {
    const detail::NetworkLayer& layer = net.layers[i];
    EXPECT_EQ(layer.out, test::kShippedWidths[i]);
    EXPECT_EQ(layer.kernel, detail::kLayerShapes[i].kernel);
    EXPECT_EQ(layer.weights.size(),
              static_cast<std::size_t>(layer.out) * layer.in * layer.kernel * layer.kernel);
    EXPECT_EQ(layer.scale.empty(), !detail::kLayerShapes[i].scaled);
  }
  std::int8_t first = 0;
  std::memcpy(&first, file.data() + layer_start(file, detail::kC2) + 16, 1);
  EXPECT_EQ(net[detail::kC2].weights.front(), first);
}

/// training/network_file.py wrote this one.
TEST(NetworkFile, IsReadAsPythonWroteIt) {
  const auto path = std::filesystem::path(LOOPTREE_CORPUS_DIR) / "network/narrow.ltnet";
  const detail::Network net = detail::read_network(path);
  EXPECT_EQ(net.name, "random");
  EXPECT_EQ(net[detail::kD3].out, 16);
  EXPECT_TRUE(exercise_network(bytes_of(test::read_text(path))));
}

TEST(NetworkFile, IsRefusedWhereCutOff) {
  const std::string whole = test::random_network(2);
  EXPECT_TRUE(exercise_network(bytes_of(whole)));
  for (std::size_t size = 0; size < whole.size(); size += size < 400 ? 1 : 97) {
    EXPECT_FALSE(exercise_network(bytes_of(whole).first(size))) << size;
  }
  EXPECT_FALSE(exercise_network(bytes_of(whole + 'x')));
}

TEST(NetworkFile, IsRefusedWhereAltered) {
  std::string file = test::random_network(3);
  for (std::size_t at = 0; at < file.size(); at += at < 400 ? 1 : 41) {
    const char original = file[at];
    for (const char changed :
         {static_cast<char>(original ^ (1 << (at % 8))), static_cast<char>(~original)}) {
      file[at] = changed;
      EXPECT_THROW(parse_network(bytes_of(file)), Error) << at;
      exercise_network(bytes_of(file));
    }
    file[at] = original;
  }
}

TEST(NetworkFile, ErrorsSayWhatWasExpected) {
  const std::string file = test::random_network(4);
  refuse("", ErrorKind::corruption, "another file");
  refuse("%PDF-1.7 and so on", ErrorKind::corruption, "another file");
  std::string other = file;
  other[8] = 2;
  refuse(other, ErrorKind::unsupported, "version 1, found 2");
  refuse(file.substr(0, 9000), ErrorKind::corruption, "found 9000");
  other = file;
  other[layer_start(file, detail::kB1)] = 'B';
  refuse(other, ErrorKind::corruption, "layer b1");
  other = file;
  other[layer_start(file, detail::kB1) + 8] = 5;
  refuse(other, ErrorKind::corruption, "kernel");
  other = file;
  other[layer_start(file, detail::kB1) + 12] = 17;
  refuse(other, ErrorKind::corruption, "multiple of 16");
  other = file;
  other[layer_start(file, detail::kA3) + 20] = -128;
  refuse(other, ErrorKind::corruption, "weights of layer a3");
  other = file;
  other[layer_start(file, detail::kA1) + 16 + 144 + 3] = 0x7F;
  refuse(other, ErrorKind::corruption, "biases of layer a1");
  other = file;
  const float infinite = std::numeric_limits<float>::infinity();
  std::memcpy(other.data() + layer_start(file, detail::kA1) + 16 + 144 + 64, &infinite, 4);
  refuse(other, ErrorKind::corruption, "factors of layer a1");
  auto widths = test::kNarrowWidths;
  widths[detail::kDp] = 32;
  refuse(test::random_network(5, widths), ErrorKind::corruption, "cp and dp");
  widths = test::kNarrowWidths;
  widths[detail::kK1b] = 48;
  refuse(test::random_network(5, widths), ErrorKind::corruption, "64 scores");
  widths = test::kNarrowWidths;
  widths[detail::kDesc] = 128;
  refuse(test::random_network(5, widths), ErrorKind::corruption, "256 bits");
  test::TemporaryFolder folder;
  test::write_file(folder / "other.file", "something else");
  test::expect_error(ErrorKind::corruption, "other.file: expected a network",
                     [&] { detail::read_network(folder / "other.file"); });
}

}  // namespace
}  // namespace looptree
