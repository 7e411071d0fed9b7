// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/word_blob.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "looptree/histogram/fixed_point.hpp"
#include "looptree/store/detail/bits.hpp"
#include "looptree/store/detail/bytes.hpp"

namespace looptree {
namespace {

using detail::ByteReader;
using detail::ByteWriter;

enum Encoding : std::uint8_t {
  kGapsAndWeights = 1,  ///< weight by weight, whatever they are
  kGapsAndCounts = 2,   ///< how often each word occurs, and one factor
};

constexpr std::uint64_t kMaxWord = std::numeric_limits<std::uint32_t>::max();
/// More would take more bits than a weight does.
constexpr std::uint32_t kMostOccurrences = 64;
constexpr int kMostRemainderBits = 31;

/// What one occurrence of a word weighs, as the index has it: 1 where nothing better is known.
class Occurrence {
 public:
  explicit Occurrence(std::span<const double> word_weights) : weights_(word_weights) {}
  bool knows(std::uint64_t word) const { return weights_.empty() || word < weights_.size(); }
  double operator[](std::uint32_t word) const {
    if (weights_.empty()) return 1;
    const double weight = weights_[word];
    return weight > 0 && std::isfinite(weight) ? weight : 1;
  }

 private:
  std::span<const double> weights_;
};

/// The format's arithmetic: in this order, in double precision.
FixedWeight weight_of(std::uint32_t count, double one, double factor) {
  constexpr double kLargest = std::numeric_limits<FixedWeight>::max();
  return static_cast<FixedWeight>(std::min(count * one * factor + 0.5, kLargest));
}

/// Goes into the blob, so that weights which come out otherwise, by other word weights or another
/// arithmetic, are found out.
std::uint32_t sum_in_order(std::span<const FixedWeight> weights) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < weights.size(); ++i) sum += (i + 1) * weights[i];
  return sum;
}

/// How often each word occurs, and the factor that makes weights of that.
struct Counts {
  std::vector<std::uint32_t> of;
  double factor = 0;
};

/// Nothing if they do not give back every weight.
std::optional<Counts> count(const FixedHistogram& histogram, const Occurrence& one) {
  const auto words = histogram.words();
  const auto weights = histogram.weights();
  if (words.empty() || !one.knows(words.back())) return std::nullopt;
  std::vector<double> times(words.size());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < words.size(); ++i) {
    least = std::min(least, times[i] = weights[i] / one[words[i]]);
  }
  Counts counts;
  counts.of.resize(words.size());
  double norm = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double nearest = times[i] / least + 0.5;
    if (!(nearest < kMostOccurrences + 1)) return std::nullopt;
    counts.of[i] = static_cast<std::uint32_t>(nearest);
    norm += counts.of[i] * one[words[i]];
  }
  counts.factor = kFixedOne / norm;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (weight_of(counts.of[i], one[words[i]], counts.factor) != weights[i]) return std::nullopt;
  }
  return counts;
}

/// Low bits of a gap that are written as they are: about as many as the mean gap has.
int remainder_bits(const FixedHistogram& histogram) {
  const std::size_t gaps = histogram.words().back() + std::size_t{1} - histogram.size();
  int bits = 0;
  while (bits < kMostRemainderBits && (histogram.size() << (bits + 1)) <= gaps) ++bits;
  return bits;
}

void write_counts(ByteWriter& writer, const FixedHistogram& histogram, const Counts& counts) {
  const int low = remainder_bits(histogram);
  writer.byte(kGapsAndCounts);
  writer.varint(histogram.size());
  writer.f64(counts.factor);
  writer.u32(sum_in_order(histogram.weights()));
  writer.byte(static_cast<std::uint8_t>(low));
  detail::BitWriter bits(writer);
  std::uint32_t expected = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    const std::uint32_t gap = histogram.words()[i] - expected;
    expected = histogram.words()[i] + 1;
    bits.unary(gap >> low);
    bits.bits(gap & ((std::uint32_t{1} << low) - 1), low);
    bits.unary(counts.of[i] - 1);
  }
  bits.finish();
}

void write_weights(ByteWriter& writer, const FixedHistogram& histogram) {
  writer.byte(kGapsAndWeights);
  writer.varint(histogram.size());
  std::uint32_t expected = 0;
  for (const std::uint32_t word : histogram.words()) {
    writer.varint(word - expected);
    expected = word + 1;
  }
  // Apart from the gaps, which leaves each to compress by its own kind.
  for (const FixedWeight weight : histogram.weights()) writer.varint(weight);
}

class WordReader {
 public:
  WordReader(detail::ByteView blob, FrameId frame)
      : reader_(ByteReader::sealed(blob, frame.value,
                                   "words of frame " + std::to_string(frame.value))) {}

  FixedHistogram read(const Occurrence& one) {
    switch (const int encoding = reader_.byte(); encoding) {
      case kGapsAndWeights:
        read_weights();
        break;
      case kGapsAndCounts:
        read_counts(one);
        break;
      default:
        reader_.fail("encoding " + std::to_string(encoding));
    }
    if (!words_.empty() && !sums_to_one(sum_)) reader_.fail("weights that do not sum to 1");
    return FixedHistogram::unchecked(std::move(words_), std::move(weights_));
  }

 private:
  void reserve(std::size_t count) {
    words_.reserve(count);
    weights_.reserve(count);
  }
  void add_word(std::uint64_t gap) {
    if (gap > kMaxWord || expected_ + gap > kMaxWord) reader_.fail("a word past 2^32 - 1");
    words_.push_back(static_cast<std::uint32_t>(expected_ + gap));
    expected_ += gap + 1;
  }
  void add_weight(std::uint64_t weight) {
    if (weight == 0 || weight > kFixedOne) reader_.fail("a weight outside (0, 1]");
    weights_.push_back(static_cast<FixedWeight>(weight));
    sum_ += weight;
  }

  void read_weights() {
    const std::size_t count = reader_.count(2);
    reserve(count);
    for (std::size_t i = 0; i < count; ++i) add_word(reader_.varint());
    for (std::size_t i = 0; i < count; ++i) add_weight(reader_.varint());
    reader_.expect_end();
  }

  void read_counts(const Occurrence& one) {
    const std::uint64_t count = reader_.varint();
    const double factor = reader_.f64();
    const std::uint32_t sum = reader_.u32();
    const int low = reader_.byte();
    if (!(factor > 0 && std::isfinite(factor))) reader_.fail("a factor that is none");
    if (low > kMostRemainderBits) reader_.fail(std::to_string(low) + " bits of a gap");
    if (count > reader_.left() * 8 / 2) reader_.fail("a count of " + std::to_string(count));
    reserve(count);
    std::vector<std::uint32_t> counts;
    counts.reserve(count);
    detail::BitReader bits(reader_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t high = bits.unary();
      add_word((high << low) + bits.bits(low));
      const std::uint64_t more = bits.unary();
      if (more >= kMostOccurrences) reader_.fail("a word that occurs too often");
      counts.push_back(static_cast<std::uint32_t>(more + 1));
    }
    bits.expect_end();
    if (count > 0 && !one.knows(words_.back())) reader_.fail("a word without a weight of its own");
    // Apart from the bits, so that the weights of a large vocabulary come from memory side by side.
    for (std::size_t i = 0; i < counts.size(); ++i) {
      add_weight(weight_of(counts[i], one[words_[i]], factor));
    }
    if (sum_in_order(weights_) != sum) reader_.fail("weights that differ from those written");
  }

  ByteReader reader_;
  std::vector<std::uint32_t> words_;
  std::vector<FixedWeight> weights_;
  std::uint64_t expected_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace

std::vector<std::uint8_t> encode_words(const FixedHistogram& histogram, FrameId frame,
                                       std::span<const double> word_weights) {
  ByteWriter writer;
  if (const auto counts = count(histogram, Occurrence(word_weights))) {
    write_counts(writer, histogram, *counts);
  } else {
    write_weights(writer, histogram);
  }
  writer.seal(frame.value);
  return writer.take();
}

FixedHistogram decode_words(std::span<const std::uint8_t> blob, FrameId frame,
                            std::span<const double> word_weights) {
  return WordReader(blob, frame).read(Occurrence(word_weights));
}

}  // namespace looptree
