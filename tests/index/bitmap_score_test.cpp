// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Scores from bitmaps and what repeated words deficit, with the compact form of a query and
// without, at every SIMD level, against a plain loop; words of queries end before, at and behind
// the edges of lanes.
#include "looptree/index/kernels/bitmap_score.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/common/simd.hpp"
#include "looptree/index/core/weights.hpp"

namespace looptree {
namespace {

constexpr std::uint32_t kVocabulary = 1000;
constexpr std::size_t kWords = (kVocabulary + 63) / 64;

struct Query {
  Query(Random& random, const std::vector<double>& idf, double density)
      : bits(kWords, 0), dense(kVocabulary, 0) {
    for (std::uint32_t word = 0; word < kVocabulary; ++word) {
      if (random.uniform() >= density) continue;
      bits[word / 64] |= std::uint64_t{1} << (word % 64);
      dense[word] = static_cast<FixedWeight>(idf[word] * 1e5 * (0.5 + 2 * random.uniform()));
      words.push_back(word);
      weights.push_back(dense[word]);
    }
  }

  std::vector<std::uint64_t> bits;
  std::vector<FixedWeight> dense;
  std::vector<std::uint32_t> words;
  std::vector<FixedWeight> weights;
};

struct Frame {
  Frame(Random& random, double density) : bits(kWords * 8, 0), counts(kVocabulary, 0) {
    for (std::uint32_t word = 0; word < kVocabulary; ++word) {
      if (random.uniform() >= density) continue;
      bits[word / 8] |= static_cast<std::uint8_t>(1u << (word % 8));
      counts[word] = 1 + (random.below(5) == 0 ? static_cast<std::uint32_t>(random.below(9)) : 0);
      if (counts[word] == 1) continue;
      repeats.push_back(static_cast<std::uint8_t>(word));
      repeats.push_back(static_cast<std::uint8_t>(word >> 8));
      repeats.push_back(static_cast<std::uint8_t>(counts[word] - 2));
    }
    repeats.shrink_to_fit();  // so that a sanitizer sees what is read behind the last
    factor = 1e5 * (0.5 + random.uniform());
  }
  detail::BitmapFrame view() const {
    return {bits.data(), bits.size(), repeats.data(), repeats.size() / 3, factor};
  }

  std::vector<std::uint8_t> bits;
  std::vector<std::uint32_t> counts;
  std::vector<std::uint8_t> repeats;
  double factor = 0;
};

/// The score, and what words that the frame has more than once deficit to what the query has of
/// them.
FixedWeight plain_score(const Frame& frame, const Query& query, const std::vector<double>& idf) {
  FixedWeight score = 0;
  for (std::uint32_t word = 0; word < kVocabulary; ++word) {
    if (frame.counts[word] == 0) continue;
    score +=
        std::min(query.dense[word], detail::weight_of(frame.counts[word], idf[word], frame.factor));
  }
  return score;
}

TEST(BitmapScore, IsThatOfAPlainLoop) {
  Random random(41);
  detail::Workspace workspace;
  std::vector<double> idf(kVocabulary);
  for (double& each : idf) each = 0.1 + 5 * random.uniform();
  // With density 1 every group of lanes ends where a word of the bitmap does.
  for (const double density : {0.002, 0.05, 0.12, 0.5, 0.97, 1.0}) {
    for (int round = 0; round < 20; ++round) {
      const Query query(random, idf, density);
      if (query.words.empty()) continue;
      // Those of few words have more or less repeated ones than a vector takes at once.
      const Frame frame(random, round % 4 == 0 ? 1 : round % 4 == 1 ? 0.3 : 0.0005 * round * round);
      const FixedWeight expected = plain_score(frame, query, idf);
      const detail::DenseQuery dense{query.bits.data(), query.dense.data(), idf.data()};
      for (const std::string& level : simd_levels()) {
        force_simd_level(level);
        EXPECT_EQ(detail::score_bitmap(frame.view(), dense, nullptr, workspace), expected) << level;
        if (!detail::compact_pays()) continue;
        const detail::CompactQuery compact({query.words, query.weights}, dense, kVocabulary,
                                           workspace);
        EXPECT_EQ(detail::score_bitmap(frame.view(), dense, &compact, workspace), expected)
            << level;
      }
    }
  }
  force_simd_level("");
}

}  // namespace
}  // namespace looptree
