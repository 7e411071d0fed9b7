// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/word_blob.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/histogram/fixed_point.hpp"
#include "looptree/store/detail/bytes.hpp"

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

/// Histograms of a route with what its words weigh.
struct Weighed {
  test::RandomRoute route{3, 500};
  FixedHistogram next() { return next_of(route); }
  const std::vector<double>& weights() const { return route.idf(); }
};

constexpr std::uint8_t kWeights = 1;
constexpr std::uint8_t kCounts = 2;

TEST(WordBlob, ByTheWordsWeightsItComesBackToTheBitAndIsSmall) {
  Weighed drive;
  std::size_t bytes = 0;
  std::size_t whole = 0;
  for (std::uint32_t i = 0; i < 500; ++i) {
    const FixedHistogram histogram = drive.next();
    const auto blob = encode_words(histogram, FrameId{i}, drive.weights());
    ASSERT_EQ(blob[0], kCounts);
    ASSERT_EQ(decode_words(blob, FrameId{i}, drive.weights()), histogram);
    bytes += blob.size();
    whole += encode_words(histogram, FrameId{i}).size();
  }
  EXPECT_LT(bytes, whole / 2) << "of frames of 20 words";
}

TEST(WordBlob, AFrameOfAThousandWordsTakesLessThanAByteAWord) {
  Random random(1);
  std::vector<double> idf(10000);
  for (double& weight : idf) weight = 0.1 + 5 * random.uniform();
  std::vector<WordId> words(1400);
  for (WordId& word : words) {
    const double u = random.uniform();
    word = WordId{static_cast<std::uint32_t>(u * u * 10000)};
  }
  const FixedHistogram histogram(make_histogram(words, idf), 10000);
  const auto blob = encode_words(histogram, FrameId{0}, idf);
  EXPECT_LT(blob.size(), histogram.size());
  EXPECT_EQ(decode_words(blob, FrameId{0}, idf), histogram);
}

TEST(WordBlob, AWeightThatIsOffByTheLastBitIsKeptSo) {
  Weighed drive;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const FixedHistogram right = drive.next();
    if (right.size() < 2) continue;
    std::vector<FixedWeight> weights(right.weights().begin(), right.weights().end());
    ++weights[i % weights.size()];
    const auto off =
        FixedHistogram::unchecked({right.words().begin(), right.words().end()}, std::move(weights));
    const auto blob = encode_words(off, FrameId{i}, drive.weights());
    EXPECT_EQ(blob[0], kWeights);
    EXPECT_EQ(decode_words(blob, FrameId{i}, drive.weights()), off);
    EXPECT_EQ(decode_words(blob, FrameId{i}), off) << "needs no word weights";
  }
}

TEST(WordBlob, GapsAndCountsOfAnyLengthComeBackFromAnyBit) {
  // Many small gaps make the few low bits that a gap of this length is far too long for.
  for (std::uint32_t lead = 1; lead < 20; ++lead) {
    for (std::uint32_t gap = 0; gap < 200; ++gap) {
      std::vector<WordId> words;
      for (std::uint32_t word = 0; word < 300; ++word) words.emplace_back(word);
      words.insert(words.end(), lead, WordId{300});
      words.emplace_back(301 + gap);
      words.emplace_back(302 + gap + lead);
      const FixedHistogram histogram(make_histogram(words, std::vector<double>(600, 1)), 600);
      const auto blob = encode_words(histogram, FrameId{0});
      ASSERT_EQ(blob[0], kCounts);
      ASSERT_EQ(decode_words(blob, FrameId{0}), histogram) << lead << ' ' << gap;
    }
  }
}

TEST(WordBlob, OtherWordWeightsAreFound) {
  Weighed drive;
  const FixedHistogram histogram = drive.next();
  const auto blob = encode_words(histogram, FrameId{0}, drive.weights());
  EXPECT_THROW(decode_words(blob, FrameId{0}), Error);
  std::vector<double> others = drive.weights();
  others[histogram.words()[0]] *= 1.001;
  EXPECT_THROW(decode_words(blob, FrameId{0}, others), Error);
  others.resize(histogram.words().back());
  test::expect_error(ErrorKind::corruption, "a word without a weight",
                     [&] { decode_words(blob, FrameId{0}, others); });
}

TEST(WordBlob, CountsDoNotNeedWordWeights) {
  const auto counted = FixedHistogram(Histogram({WordId{7}, WordId{9}}, {0.75, 0.25}), 10);
  const auto blob = encode_words(counted, FrameId{0});
  EXPECT_EQ(blob[0], kCounts);
  EXPECT_EQ(decode_words(blob, FrameId{0}), counted);
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

void expect_damage_is_found(const std::vector<std::uint8_t>& blob,
                            const std::vector<double>& weights) {
  for (std::size_t bit = 0; bit < blob.size() * 8; ++bit) {
    std::vector<std::uint8_t> flipped = blob;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    EXPECT_THROW(decode_words(flipped, FrameId{5}, weights), Error) << "bit " << bit;
  }
  for (std::size_t size = 0; size < blob.size(); ++size) {
    EXPECT_THROW(decode_words(std::span(blob).first(size), FrameId{5}, weights), Error) << size;
  }
  test::expect_error(ErrorKind::corruption, "words of frame 6",
                     [&] { decode_words(blob, FrameId{6}, weights); });
}

TEST(WordBlob, AnyFlippedBitTruncationOrOtherFrameIsFound) {
  Weighed drive;
  const FixedHistogram histogram = drive.next();
  expect_damage_is_found(encode_words(histogram, FrameId{5}), {});
  expect_damage_is_found(encode_words(histogram, FrameId{5}, drive.weights()), drive.weights());
}

/// Bytes behind a right seal.
FixedHistogram decode_sealed(const std::vector<std::uint8_t>& body,
                             const std::vector<double>& weights) {
  detail::ByteWriter writer;
  writer.raw(body);
  writer.seal(5);
  return decode_words(writer.take(), FrameId{5}, weights);
}

TEST(WordBlob, WhatAWriterWouldNotWriteIsRefusedUnderARightSeal) {
  Weighed drive;
  const FixedHistogram histogram = drive.next();
  std::vector<std::uint8_t> body = encode_words(histogram, FrameId{5}, drive.weights());
  body.resize(body.size() - 8);
  ASSERT_EQ(decode_sealed(body, drive.weights()), histogram);
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < body.size() * 8; ++bit) {
    std::vector<std::uint8_t> flipped = body;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    try {
      // The last bits of the factor may mean the same weights.
      EXPECT_EQ(decode_sealed(flipped, drive.weights()), histogram) << bit;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corruption);
      ++refused;
    }
  }
  EXPECT_GT(refused, body.size() * 8 - 40);
  std::vector<std::uint8_t> longer = body;
  longer.push_back(0);
  EXPECT_THROW(decode_sealed(longer, drive.weights()), Error);
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_THROW(decode_sealed({body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size)},
                               drive.weights()),
                 Error);
  }
}

}  // namespace
}  // namespace looptree
