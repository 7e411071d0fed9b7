// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Frames stored as gaps, scored at every SIMD level, against maps of words.
#include "looptree/index/kernels/gap_score.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/common/simd.hpp"
#include "looptree/index/core/weights.hpp"

#include "tests/index/gap_bytes.hpp"

namespace looptree {
namespace {

using detail::GapFrame;
using detail::IdfTable;
using detail::kGapBits;
using detail::RankedQuery;

/// How often each word occurs.
using Counts = std::map<std::uint32_t, std::uint32_t>;

Counts random_counts(Random& random, std::size_t draws, std::uint32_t vocabulary_size) {
  Counts counts;
  for (std::size_t i = 0; i < draws; ++i) {
    const auto word = static_cast<std::uint32_t>(random.below(vocabulary_size));
    counts[word] += random.below(4) == 0 ? 1 + static_cast<std::uint32_t>(random.below(100)) : 1;
    // Some that share their lowest bits.
    if (random.below(8) == 0) counts[(word + kGapBits) % vocabulary_size] += 1;
  }
  for (auto& [word, count] : counts) count = std::min(count, 257u);
  return counts;
}

std::vector<std::uint32_t> words_of(const Counts& counts) {
  std::vector<std::uint32_t> words;
  for (const auto& [word, count] : counts) words.push_back(word);
  return words;
}

std::vector<std::uint8_t> repeats_of(const Counts& counts) {
  std::vector<std::uint8_t> bytes;
  for (const auto& [word, count] : counts) {
    if (count == 1) continue;
    put_bytes(bytes, word, 4);
    put_bytes(bytes, count - 2, 1);
  }
  return bytes;
}

FixedHistogram histogram_of(const Counts& counts, const IdfTable& idf, double factor) {
  std::vector<std::uint32_t> words;
  std::vector<FixedWeight> weights;
  for (const auto& [word, count] : counts) {
    words.push_back(word);
    weights.push_back(detail::weight_of(count, idf[word], factor));
  }
  return FixedHistogram::unchecked(words, weights);
}

FixedWeight sum_of_minima(const FixedHistogram& query, const FixedHistogram& frame) {
  std::map<std::uint32_t, FixedWeight> weights;
  for (std::size_t i = 0; i < frame.words().size(); ++i)
    weights[frame.words()[i]] = frame.weights()[i];
  FixedWeight sum = 0;
  for (std::size_t i = 0; i < query.words().size(); ++i) {
    const auto found = weights.find(query.words()[i]);
    if (found != weights.end()) sum += std::min(query.weights()[i], found->second);
  }
  return sum;
}

std::vector<std::uint64_t> bits_of(const FixedHistogram& query) {
  std::vector<std::uint64_t> bits(kGapBits / 64);
  for (const std::uint32_t word : query.words()) {
    bits[word % kGapBits / 64] |= std::uint64_t{1} << (word % 64);
  }
  return bits;
}

TEST(GapScore, EqualsTheSumOfMinima) {
  Random random(5);
  for (const std::uint32_t vocabulary : {300u, kGapBits, kGapBits + 1, 10 * kGapBits}) {
    std::vector<double> weights(vocabulary);
    for (double& each : weights) each = 0.1 + random.uniform();
    const IdfTable idf(weights, vocabulary);
    for (const std::size_t draws : {1u, 20u, 2000u, 20000u}) {
      const Counts asked = random_counts(random, draws, vocabulary);
      Counts seen = random_counts(random, draws, vocabulary);
      for (const auto& [word, count] : asked) {
        if (random.below(3) == 0) seen.emplace(word, count);
      }
      const double factor = 1e6 / static_cast<double>(draws);  // no weight is zero
      const FixedHistogram query = histogram_of(asked, idf, 1.5 * factor);
      const FixedWeight expected = sum_of_minima(query, histogram_of(seen, idf, factor));
      const std::vector<std::uint8_t> gaps = gaps_of(words_of(seen));
      const std::vector<std::uint8_t> repeats = repeats_of(seen);
      const GapFrame frame{{gaps.data(), static_cast<std::uint32_t>(seen.size())}, repeats, factor};
      const std::vector<std::uint64_t> bits = bits_of(query);
      for (const std::string& level : simd_levels()) {
        force_simd_level(level);
        detail::Workspace workspace;
        const RankedQuery ranked = make_ranked(query.view(), &idf, bits.data(), workspace);
        EXPECT_EQ(score_gaps(frame, ranked, workspace), expected)
            << level << ", " << vocabulary << " words, " << draws << " draws";
      }
      force_simd_level("");
    }
  }
}

TEST(GapScore, FindsEveryWordOfTheQueryAndNoOther) {
  Random random(6);
  const std::uint32_t vocabulary = 8 * kGapBits;
  const IdfTable idf({}, vocabulary);
  const FixedHistogram query = histogram_of(random_counts(random, 30000, vocabulary), idf, 7);
  const std::vector<std::uint64_t> bits = bits_of(query);
  detail::Workspace workspace;
  const RankedQuery ranked = make_ranked(query.view(), &idf, bits.data(), workspace);
  EXPECT_FALSE(ranked.others.empty());
  std::size_t next = 0;
  for (std::uint32_t word = 0; word < vocabulary; ++word) {
    const bool has = next < query.words().size() && query.words()[next] == word;
    const FixedWeight expected = has ? query.weights()[next++] : 0;
    if ((bits[word % kGapBits / 64] >> (word % 64) & 1) == 0) continue;
    ASSERT_EQ(ranked.find(word).weight, expected) << word;
  }
}

}  // namespace
}  // namespace looptree
