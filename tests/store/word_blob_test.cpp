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

TEST(WordBlob, ComesBackAsAnIndexWouldRoundIt) {
  test::RandomRoute route(1, 500);
  for (std::uint32_t i = 0; i < 200; ++i) {
    const Histogram histogram = route.next();
    const Histogram decoded = decode_words(encode_words(histogram, FrameId{i}), FrameId{i});
    ASSERT_EQ(decoded.size(), histogram.size());
    for (std::size_t j = 0; j < histogram.size(); ++j) {
      ASSERT_EQ(decoded.words()[j], histogram.words()[j]);
      ASSERT_EQ(decoded.weights()[j], from_fixed(to_fixed(histogram.weights()[j])));
    }
    ASSERT_EQ(decode_words(encode_words(decoded, FrameId{1}), FrameId{1}), decoded);
  }
}

TEST(WordBlob, HoldsTheExtremes) {
  const Histogram histogram({WordId{0}, WordId{0xFFFFFFFF}}, {0x1p-31, 1});
  EXPECT_EQ(decode_words(encode_words(histogram, FrameId{0}), FrameId{0}), histogram);
  const Histogram tiny({WordId{3}, WordId{4}}, {0x1p-40, 1});
  EXPECT_EQ(decode_words(encode_words(tiny, FrameId{0}), FrameId{0}).size(), 1u);
  EXPECT_TRUE(decode_words(encode_words({}, FrameId{0}), FrameId{0}).empty());
}

TEST(WordBlob, AnyFlippedBitTruncationOrOtherFrameIsFound) {
  const std::vector<std::uint8_t> blob = encode_words(test::RandomRoute(2, 500).next(), FrameId{5});
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
