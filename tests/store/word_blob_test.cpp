// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/word_blob.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "looptree/histogram/fixed_point.hpp"

#include "tests/index/random_route.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

FixedHistogram next_of(test::RandomRoute& route) {
  return FixedHistogram(route.next(), 500);
}

TEST(WordBlob, ComesBackAsTheIndexHasIt) {
  test::RandomRoute route(1, 500);
  for (std::uint32_t i = 0; i < 200; ++i) {
    const FixedHistogram histogram = next_of(route);
    ASSERT_EQ(decode_words(encode_words(histogram, FrameId{i}), FrameId{i}), histogram);
  }
}

TEST(WordBlob, HoldsTheExtremes) {
  const auto histogram = FixedHistogram::unchecked({0, 0xFFFFFFFF}, {1, kFixedOne - 1});
  EXPECT_EQ(decode_words(encode_words(histogram, FrameId{0}), FrameId{0}), histogram);
  EXPECT_TRUE(decode_words(encode_words({}, FrameId{0}), FrameId{0}).empty());
}

TEST(WordBlob, WeightsThatDoNotSumToOneAreFound) {
  const auto light = FixedHistogram::unchecked({3, 4}, {kFixedOne / 4, kFixedOne / 4});
  EXPECT_THROW(decode_words(encode_words(light, FrameId{0}), FrameId{0}), Error);
}

TEST(WordBlob, AnyFlippedBitTruncationOrOtherFrameIsFound) {
  const std::vector<std::uint8_t> blob =
      encode_words(FixedHistogram(test::RandomRoute(2, 500).next(), 500), FrameId{5});
  for (std::size_t bit = 0; bit < blob.size() * 8; ++bit) {
    std::vector<std::uint8_t> flipped = blob;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    EXPECT_THROW(decode_words(flipped, FrameId{5}), Error) << "bit " << bit;
  }
  for (std::size_t size = 0; size < blob.size(); ++size) {
    EXPECT_THROW(decode_words(std::span(blob).first(size), FrameId{5}), Error) << size;
  }
  test::expect_error(ErrorKind::corruption, "words of frame 6",
                     [&] { decode_words(blob, FrameId{6}); });
}

}  // namespace
}  // namespace looptree
