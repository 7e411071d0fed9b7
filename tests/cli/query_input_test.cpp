// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// What `looptree serve` is sent, whole, cut and altered.
#include "cli/serve/query_input.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/query_input_target.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

Bytes png(std::uint32_t width, std::uint32_t height) {
  Bytes bytes = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
  for (const std::uint32_t value : {width, height}) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<std::uint8_t>(value >> shift));
    }
  }
  return bytes;
}

/// A JPEG up to its frame header, with a segment before it.
Bytes jpeg() {
  return {0xFF, 0xD8, 0xFF, 0xE0, 0,    4,    1,    2,    0xFF, 0xFF,
          0xC0, 0,    11,   8,    0x01, 0x78, 0x04, 0xD8, 1};
}

TEST(ImageSize, IsReadFromHeaders) {
  const auto of_png = cli::image_size(png(640, 360));
  EXPECT_EQ(of_png.width, 640U);
  EXPECT_EQ(of_png.height, 360U);
  const auto of_jpeg = cli::image_size(jpeg());
  EXPECT_EQ(of_jpeg.width, 1240U);
  EXPECT_EQ(of_jpeg.height, 376U);
  Bytes webp = bytes_of("RIFF????WEBPVP8X??????????????");
  for (std::size_t i = 24; i < 30; ++i) webp[i] = 0;
  webp[24] = 99;
  webp[27] = 49;
  EXPECT_EQ(cli::image_size(webp).width, 100U);
  EXPECT_EQ(cli::image_size(webp).height, 50U);
}

TEST(ImageSize, RefusesWhatIsNoImageOrTooLarge) {
  EXPECT_THROW(cli::image_size({}), Error);
  EXPECT_THROW(cli::image_size(bytes_of("GIF89a")), Error);
  EXPECT_THROW(cli::image_size(png(0, 10)), Error);
  EXPECT_THROW(cli::image_size(png(60'000, 60'000)), Error);
  EXPECT_THROW(cli::image_size(png(0xFFFFFFFF, 0xFFFFFFFF)), Error);
}

TEST(ParseBase64, ReadsWhatEverybodyWrites) {
  EXPECT_EQ(cli::parse_base64(""), Bytes{});
  EXPECT_EQ(cli::parse_base64("TQ=="), bytes_of("M"));
  EXPECT_EQ(cli::parse_base64("TWE="), bytes_of("Ma"));
  EXPECT_EQ(cli::parse_base64("TWFu"), bytes_of("Man"));
  for (const char* bad : {"T", "TQ=", "T===", "TQ==TQ==", "TW-u", "TWFu "}) {
    EXPECT_THROW(cli::parse_base64(bad), Error) << bad;
  }
}

TEST(ParseQuery, TakesWordsOrDescriptors) {
  const auto words =
      cli::parse_query(R"({"words":[3,17,17],"top_k":5,"threshold":0.25,"sessions":[1]})");
  EXPECT_EQ(words.words, (std::vector<std::uint32_t>{3, 17, 17}));
  EXPECT_EQ(words.top_k, 5U);
  EXPECT_EQ(words.threshold, 0.25);
  EXPECT_EQ(words.sessions, (std::vector<std::uint32_t>{1}));
  const auto rows = cli::parse_query(R"({"descriptors":"TWFuTWFu","width":3})");
  EXPECT_EQ(rows.descriptors.size(), 6U);
  EXPECT_EQ(rows.width, 3U);
}

TEST(ParseQuery, RefusesEverythingElse) {
  for (const char* bad :
       {"", "{", "[]", "{}", R"({"words":1})", R"({"words":[-1]})", R"({"words":[1.5]})",
        R"({"words":[4294967295]})", R"({"words":[],"descriptors":"","width":32})",
        R"({"words":[],"top_k":0})", R"({"words":[],"top_k":1001})",
        R"({"words":[],"threshold":2})", R"({"words":[],"threshold":"1"})",
        R"({"words":[],"sessions":[-1]})", R"({"descriptors":"TWFu"})",
        R"({"descriptors":"TWFu","width":0})", R"({"descriptors":"TWFu","width":2})",
        R"({"descriptors":5,"width":2})"}) {
    EXPECT_THROW(cli::parse_query(bad), Error) << bad;
  }
  EXPECT_THROW(cli::parse_query(std::string(100'000, '[')), Error) << "deep";
}

TEST(QueryInput, EndsWellWhateverTheBytes) {
  std::mt19937 random(7);
  const std::string query = R"({"descriptors":"TWFuTWFu","width":3,"top_k":5,"sessions":[1,2]})";
  for (const Bytes& whole : {png(640, 360), jpeg(), bytes_of(query)}) {
    for (std::size_t length = 0; length <= whole.size(); ++length) {
      test::exercise_query_input(std::span(whole).first(length));
    }
    for (int i = 0; i < 20'000; ++i) {
      Bytes altered = whole;
      altered[random() % altered.size()] = static_cast<std::uint8_t>(random());
      altered[random() % altered.size()] ^= static_cast<std::uint8_t>(1 << random() % 8);
      test::exercise_query_input(altered);
    }
  }
}

}  // namespace
}  // namespace looptree
