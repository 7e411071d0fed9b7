// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/word_blob.hpp"

#include <limits>
#include <string>
#include <utility>

#include "looptree/histogram/fixed_point.hpp"
#include "looptree/store/detail/bytes.hpp"

namespace looptree {
namespace {

constexpr std::uint8_t kGapsAndWeights = 1;
constexpr std::uint64_t kMaxWord = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::vector<std::uint8_t> encode_words(const FixedHistogram& histogram, FrameId frame) {
  detail::ByteWriter writer;
  writer.byte(kGapsAndWeights);
  writer.varint(histogram.size());
  std::uint32_t expected = 0;
  for (const std::uint32_t word : histogram.words()) {
    writer.varint(word - expected);
    expected = word + 1;
  }
  // Apart from the gaps, which leaves each to compress by its own kind.
  for (const FixedWeight weight : histogram.weights()) writer.varint(weight);
  writer.seal(frame.value);
  return writer.take();
}

FixedHistogram decode_words(std::span<const std::uint8_t> blob, FrameId frame) {
  detail::ByteReader reader = detail::ByteReader::sealed(
      blob, frame.value, "words of frame " + std::to_string(frame.value));
  if (const int encoding = reader.byte(); encoding != kGapsAndWeights) {
    reader.fail("encoding " + std::to_string(encoding));
  }
  const std::size_t count = reader.count(2);
  std::vector<std::uint32_t> words;
  words.reserve(count);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t gap = reader.varint();
    if (gap > kMaxWord || expected + gap > kMaxWord) reader.fail("a word past 2^32 - 1");
    words.push_back(static_cast<std::uint32_t>(expected + gap));
    expected += gap + 1;
  }
  std::vector<FixedWeight> weights;
  weights.reserve(count);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t weight = reader.varint();
    if (weight == 0 || weight > kFixedOne) reader.fail("a weight outside (0, 1]");
    weights.push_back(static_cast<FixedWeight>(weight));
    sum += weight;
  }
  reader.expect_end();
  if (count > 0 && !sums_to_one(sum)) reader.fail("weights that do not sum to 1");
  return FixedHistogram::unchecked(std::move(words), std::move(weights));
}

}  // namespace looptree
