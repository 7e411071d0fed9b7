// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Levels of words: never below the weights they stand for, hardly above them, and the same at every
// SIMD level.
#include "looptree/index/detail/split_levels.hpp"

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
  std::vector<float> units;
};

struct Levels {
  explicit Levels(std::size_t words) : light(words), heavy(words) {}
  friend bool operator==(const Levels&, const Levels&) = default;

  std::vector<std::uint32_t> light;
  std::vector<std::uint32_t> heavy;
  std::uint32_t most = 0;
};

Levels split(const Words& words, double scale, FixedWeight step) {
  Levels levels(words.weights.size());
  levels.most = detail::split_levels({words.weights, words.units, scale, step},
                                     {levels.light.data(), levels.heavy.data()});
  return levels;
}

/// The same where nothing is split.
Levels whole(const Words& words, FixedWeight step) {
  Levels levels(words.weights.size());
  levels.most = detail::whole_levels(words.weights, step, levels.light.data());
  return levels;
}

void expect_bounds(const Words& words, double scale, FixedWeight step) {
  const Levels levels = split(words, scale, step);
  for (std::size_t i = 0; i < words.weights.size(); ++i) {
    const double weight = words.weights[i];
    const double lighter = std::min(weight, words.units[i] * scale);
    const double light = static_cast<double>(levels.light[i]) * step;
    const double both = static_cast<double>(levels.light[i] + levels.heavy[i]) * step;
    EXPECT_GE(light, lighter) << "weight " << weight << ", step " << step;
    EXPECT_GE(both, weight) << "weight " << weight << ", step " << step;
    EXPECT_LE(both, weight * (1 + 1e-5) + step);
    EXPECT_LE(light, std::max(lighter, weight * (1 - detail::kWorthARow)) / 0.93 + step);
    EXPECT_LE(levels.light[i] + levels.heavy[i], levels.most);
  }
  constexpr double kAnyScale = std::numeric_limits<double>::infinity();
  const Levels unsplit = split(words, kAnyScale, step);
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    EXPECT_EQ(split(words, scale, step), levels) << level;
    EXPECT_EQ(split(words, kAnyScale, step), unsplit) << level;
    EXPECT_EQ(whole(words, step), unsplit) << level;
  }
  force_simd_level("");
}

TEST(SplitLevels, AreNeverBelowTheWeights) {
  Random random(31);
  for (int round = 0; round < 200; ++round) {
    Words words;
    const double scale = std::exp(20 * random.uniform());
    const double most =
        static_cast<double>(kFixedOne) / (1 + static_cast<double>(random.below(2000)));
    for (std::uint64_t i = 0; i < 1 + random.below(70); ++i) {
      const double weight = 1 + most * random.uniform();
      const double unit = weight / scale * (random.below(3) == 0 ? 1 : 0.2 + random.uniform());
      words.weights.push_back(static_cast<FixedWeight>(weight));
      words.units.push_back(static_cast<float>(unit));
    }
    const auto least = static_cast<FixedWeight>(most / 60000) + 1;
    expect_bounds(words, scale,
                  least + static_cast<FixedWeight>(random.below(std::uint64_t{least} * 4)));
  }
}

/// Whole numbers of steps, one more and one less, where rounding would show first.
TEST(SplitLevels, AreNeverBelowAtTheEdgeOfAStep) {
  for (const FixedWeight step : {1u, 3u, 32768u, 37977u, 65539u}) {
    Words words;
    for (std::uint64_t level = 1; level < 60000; level += level / 7 + 1) {
      for (const int off : {-1, 0, 1}) {
        const auto weight = static_cast<FixedWeight>(std::min<std::uint64_t>(
            static_cast<std::uint64_t>(static_cast<std::int64_t>(level * step) + off), kFixedOne));
        words.weights.push_back(std::max(weight, 1u));
        words.units.push_back(static_cast<float>(weight) / 3);
      }
    }
    expect_bounds(words, 1.0, step);
    expect_bounds(words, 3.0, step);
  }
}

TEST(AppendHeavy, FollowsTheWordsInOrder) {
  Random random(32);
  for (const std::size_t words : {0u, 1u, 15u, 16u, 17u, 64u, 203u, 1000u}) {
    for (const std::uint64_t rarity : {1u, 2u, 6u, 100u}) {
      std::vector<std::uint32_t> heavy(words);
      std::vector<std::uint32_t> rows(words);
      std::vector<std::uint32_t> levels(words);
      std::vector<std::uint32_t> all_rows;
      std::vector<std::uint32_t> all_levels;
      for (std::size_t i = 0; i < words; ++i) {
        heavy[i] = random.below(rarity) == 0 ? static_cast<std::uint32_t>(random.below(200)) : 0;
        all_rows.push_back(rows[i] = static_cast<std::uint32_t>(random.below(20000)));
        all_levels.push_back(levels[i] = static_cast<std::uint32_t>(random.below(200)));
      }
      for (std::size_t i = 0; i < words; ++i) {
        if (heavy[i] == 0) continue;
        all_rows.push_back(rows[i] + 777);
        all_levels.push_back(heavy[i]);
      }
      for (const std::string& level : simd_levels()) {
        force_simd_level(level);
        std::vector<std::uint32_t> to_rows = rows;
        std::vector<std::uint32_t> to_levels = levels;
        to_rows.resize(2 * words + detail::kHeavyRoom);
        to_levels.resize(2 * words + detail::kHeavyRoom);
        const std::size_t count =
            detail::append_heavy({heavy, 777, to_rows.data(), to_levels.data()});
        to_rows.resize(count);
        to_levels.resize(count);
        EXPECT_EQ(to_rows, all_rows) << level;
        EXPECT_EQ(to_levels, all_levels) << level;
      }
    }
  }
  force_simd_level("");
}

TEST(SplitLevels, TakeTheWeightOfAnImagesOnlyWord) {
  expect_bounds({{static_cast<FixedWeight>(kFixedOne)}, {1.0F}}, 1e9, 40000);
  expect_bounds({{static_cast<FixedWeight>(kFixedOne)}, {1.0F}}, 4e9, 40000);
}

}  // namespace
}  // namespace looptree
