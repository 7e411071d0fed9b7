// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Impacts of words: never below the weights they stand for, hardly above them, and the same at
// every SIMD level.
#include "looptree/index/kernels/impacts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/common/simd.hpp"

namespace looptree {
namespace {

struct Words {
  std::vector<FixedWeight> weights;
  std::vector<float> idf;
};

struct Impacts {
  explicit Impacts(std::size_t words) : once(words), repeated(words) {}
  friend bool operator==(const Impacts&, const Impacts&) = default;

  std::vector<std::uint32_t> once;
  std::vector<std::uint32_t> repeated;
  std::uint32_t most = 0;
};

Impacts split(const Words& words, double scale, FixedWeight quantum) {
  Impacts impacts(words.weights.size());
  impacts.most = detail::split_impacts({words.weights, words.idf, scale, quantum},
                                       {impacts.once.data(), impacts.repeated.data()});
  return impacts;
}

/// The same where nothing is split.
Impacts whole(const Words& words, FixedWeight quantum) {
  Impacts impacts(words.weights.size());
  impacts.most = detail::whole_impacts(words.weights, quantum, impacts.once.data());
  return impacts;
}

void expect_bounds(const Words& words, double scale, FixedWeight quantum) {
  const Impacts impacts = split(words, scale, quantum);
  for (std::size_t i = 0; i < words.weights.size(); ++i) {
    const double weight = words.weights[i];
    const double lighter = std::min(weight, words.idf[i] * scale);
    const double once = static_cast<double>(impacts.once[i]) * quantum;
    const double both = static_cast<double>(impacts.once[i] + impacts.repeated[i]) * quantum;
    EXPECT_GE(once, lighter) << "weight " << weight << ", quantum " << quantum;
    EXPECT_GE(both, weight) << "weight " << weight << ", quantum " << quantum;
    EXPECT_LE(both, weight * (1 + 1e-5) + quantum);
    EXPECT_LE(once, std::max(lighter, weight * (1 - detail::kWorthARow)) / 0.93 + quantum);
    EXPECT_LE(impacts.once[i] + impacts.repeated[i], impacts.most);
  }
  constexpr double kAnyScale = std::numeric_limits<double>::infinity();
  const Impacts unsplit = split(words, kAnyScale, quantum);
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    EXPECT_EQ(split(words, scale, quantum), impacts) << level;
    EXPECT_EQ(split(words, kAnyScale, quantum), unsplit) << level;
    EXPECT_EQ(whole(words, quantum), unsplit) << level;
  }
  force_simd_level("");
}

TEST(SplitImpacts, AreNeverBelowTheWeights) {
  Random random(31);
  for (int round = 0; round < 200; ++round) {
    Words words;
    const double scale = std::exp(20 * random.uniform());
    const double most =
        static_cast<double>(kFixedOne) / (1 + static_cast<double>(random.below(2000)));
    for (std::uint64_t i = 0; i < 1 + random.below(70); ++i) {
      const double weight = 1 + most * random.uniform();
      const double idf = weight / scale * (random.below(3) == 0 ? 1 : 0.2 + random.uniform());
      words.weights.push_back(static_cast<FixedWeight>(weight));
      words.idf.push_back(static_cast<float>(idf));
    }
    const auto least = static_cast<FixedWeight>(most / 60000) + 1;
    expect_bounds(words, scale,
                  least + static_cast<FixedWeight>(random.below(std::uint64_t{least} * 4)));
  }
}

/// Whole numbers of steps, one more and one less, where rounding would show first.
TEST(SplitImpacts, AreNeverBelowAtTheEdgeOfAQuantum) {
  for (const FixedWeight quantum : {1u, 3u, 32768u, 37977u, 65539u}) {
    Words words;
    for (std::uint64_t level = 1; level < 60000; level += level / 7 + 1) {
      for (const int off : {-1, 0, 1}) {
        const auto weight = static_cast<FixedWeight>(std::min<std::uint64_t>(
            static_cast<std::uint64_t>(static_cast<std::int64_t>(level * quantum) + off),
            kFixedOne));
        words.weights.push_back(std::max(weight, 1u));
        words.idf.push_back(static_cast<float>(weight) / 3);
      }
    }
    expect_bounds(words, 1.0, quantum);
    expect_bounds(words, 3.0, quantum);
  }
}

TEST(SplitImpacts, TakeTheWeightOfAnImagesOnlyWord) {
  expect_bounds({{static_cast<FixedWeight>(kFixedOne)}, {1.0F}}, 1e9, 40000);
  expect_bounds({{static_cast<FixedWeight>(kFixedOne)}, {1.0F}}, 4e9, 40000);
}

}  // namespace
}  // namespace looptree
