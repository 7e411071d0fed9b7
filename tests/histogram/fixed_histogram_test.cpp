// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/histogram/fixed_histogram.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/error.hpp"
#include "looptree/common/random.hpp"

namespace looptree {
namespace {

constexpr double kStep = 1.0 / kFixedOne;

Histogram histogram_of(std::vector<double> weights) {
  std::vector<WordId> words;
  for (std::uint32_t i = 0; i < weights.size(); ++i) words.emplace_back(3 * i);
  return {std::move(words), std::move(weights)};
}

TEST(FixedHistogram, RoundsEveryWeightToTheNearestMultiple) {
  Random random(31);
  for (const std::size_t count : {1u, 2u, 7u, 300u, 1001u}) {
    std::vector<double> weights(count);
    for (double& weight : weights) weight = 0.1 + random.uniform();
    const Histogram given = histogram_of(weights).normalized();
    const FixedHistogram fixed(given, 3 * 1001);
    ASSERT_EQ(fixed.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(fixed.words()[i], 3 * i);
      EXPECT_EQ(fixed.weights()[i], to_fixed(given.weights()[i]));
    }
  }
}

TEST(FixedHistogram, RoundsHalvesUpAndDropsWhatBecomesNothing) {
  const double half = kStep / 2;
  const FixedHistogram fixed(histogram_of({1.0 - 1e-6, half, 0.4 * kStep, kStep, 1.5 * kStep}),
                             100);
  EXPECT_EQ(std::vector<std::uint32_t>(fixed.words().begin(), fixed.words().end()),
            (std::vector<std::uint32_t>{0, 3, 9, 12}));
  EXPECT_EQ(fixed.weights()[1], 1u);
  EXPECT_EQ(fixed.weights()[3], 2u);
}

TEST(FixedHistogram, OneWordMayWeighAllThereIs) {
  for (const double one : {1.0, 1.0 + 1e-9, 1.0 - kStep, 1.0 - kStep / 2}) {
    EXPECT_EQ(FixedHistogram(histogram_of({one}), 1).weights()[0], to_fixed(one));
  }
}

TEST(FixedHistogram, IsTheSameAgainFromItsPartsAndFromItsHistogram) {
  const FixedHistogram fixed(histogram_of({0.5, 0.25, 0.125, 0.125}), 10);
  EXPECT_EQ(FixedHistogram({fixed.words().begin(), fixed.words().end()},
                           {fixed.weights().begin(), fixed.weights().end()}, 10),
            fixed);
  EXPECT_EQ(FixedHistogram(fixed.histogram(), 10), fixed);
}

TEST(FixedHistogram, RefusesWhatAnIndexCouldNotStore) {
  const auto refused = [](auto make) {
    try {
      make();
    } catch (const Error& error) {
      return error.kind() == ErrorKind::invalid_argument;
    }
    return false;
  };
  using Words = std::vector<std::uint32_t>;
  using Weights = std::vector<FixedWeight>;
  constexpr FixedWeight kHalf = kFixedOne / 2;
  EXPECT_TRUE(refused([] { FixedHistogram(Histogram(), 10); }));
  EXPECT_TRUE(refused([] { FixedHistogram(histogram_of({0.5, 0.5}), 3); }));
  EXPECT_TRUE(refused([] { FixedHistogram(histogram_of({0.5, 0.4}), 10); }));
  EXPECT_TRUE(refused([] { FixedHistogram(Words{}, Weights{}, 10); }));
  EXPECT_TRUE(refused([] { FixedHistogram(Words{2, 2}, Weights{kHalf, kHalf}, 10); }));
  EXPECT_TRUE(refused([] { FixedHistogram(Words{3, 2}, Weights{kHalf, kHalf}, 10); }));
  EXPECT_TRUE(refused([] { FixedHistogram(Words{2, 3}, Weights{kHalf, 0}, 10); }));
  EXPECT_TRUE(refused([] { FixedHistogram(Words{2, 3}, Weights{kHalf}, 10); }));
  EXPECT_TRUE(refused([] { FixedHistogram(Words{2, 10}, Weights{kHalf, kHalf}, 10); }));
}

}  // namespace
}  // namespace looptree
