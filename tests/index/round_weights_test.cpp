// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Many weights rounded at once, at every SIMD level, against one after the other.
#include "looptree/index/detail/round_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/common/simd.hpp"

namespace looptree {
namespace {

void expect_rounded(const std::vector<double>& weights) {
  std::vector<FixedWeight> expected;
  for (const double weight : weights) expected.push_back(to_fixed(weight));
  const auto sum = std::accumulate(expected.begin(), expected.end(), std::uint64_t{0});
  const auto zeros = static_cast<std::size_t>(std::count(expected.begin(), expected.end(), 0u));
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    std::vector<FixedWeight> rounded(weights.size(), 7);
    const detail::RoundedWeights result = detail::round_weights(weights, rounded.data());
    EXPECT_EQ(rounded, expected) << level << ", " << weights.size() << " weights";
    EXPECT_EQ(result.sum, sum) << level;
    EXPECT_EQ(result.zeros, zeros) << level;
  }
  force_simd_level("");
}

constexpr double kStep = 1.0 / kFixedOne;

TEST(RoundWeights, EqualsRoundingOneByOne) {
  Random random(31);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 31u, 300u, 1001u}) {
    std::vector<double> weights(count);
    for (double& weight : weights) weight = random.uniform() * 2 / static_cast<double>(count);
    expect_rounded(weights);
  }
}

TEST(RoundWeights, RoundsHalvesUpAndCountsWhatBecomesNothing) {
  const double half = kStep / 2;
  const double below = std::nextafter(half, 0.0);
  const std::vector<double> edges = {0.0,
                                     half,
                                     below,
                                     kStep,
                                     1.5 * kStep,
                                     kStep - below,
                                     1.0 / 3.0,
                                     0.5 - kStep / 2,
                                     std::numeric_limits<double>::min()};
  for (std::size_t shift = 0; shift < 9; ++shift) {
    std::vector<double> weights(shift, 0.01);
    weights.insert(weights.end(), edges.begin(), edges.end());
    expect_rounded(weights);
  }
}

TEST(RoundWeights, OneWordMayWeighAllThereIs) {
  for (const double one : {1.0, 1.0 + 1e-9, 1.0 - kStep, 1.0 - 2 * kStep, 1.0 - kStep / 2}) {
    for (const std::size_t others : {0u, 1u, 7u, 8u, 20u}) {
      std::vector<double> weights(others, 1e-5);
      weights.insert(weights.begin() + static_cast<std::ptrdiff_t>(others / 2), one);
      expect_rounded(weights);
    }
  }
}

}  // namespace
}  // namespace looptree
