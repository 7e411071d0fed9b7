// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/matching.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "looptree/common/simd.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

Descriptors random_bytes(std::size_t rows, std::size_t width, std::uint32_t seed) {
  std::mt19937 random(seed);
  Descriptors result{DescriptorType::binary, width, {}, {}};
  // Few bits set per byte, so that distances tie often.
  for (std::size_t i = 0; i < rows * width; ++i) {
    const auto some = random();
    result.bytes.push_back(static_cast<std::uint8_t>(some & random() & 0x11U));
  }
  return result;
}

float distance_between(DescriptorView a, std::size_t i, DescriptorView b, std::size_t j) {
  float sum = 0;
  for (std::size_t k = 0; k < a.width(); ++k) {
    if (a.type() == DescriptorType::binary) {
      sum +=
          static_cast<float>(std::popcount(static_cast<unsigned>(a.bytes(i)[k] ^ b.bytes(j)[k])));
    } else {
      sum += (a.floats(i)[k] - b.floats(j)[k]) * (a.floats(i)[k] - b.floats(j)[k]);
    }
  }
  return a.type() == DescriptorType::binary ? sum : std::sqrt(sum);
}

/// The definition, written down again as plainly as possible.
std::vector<Correspondence> oracle(DescriptorView query, DescriptorView match,
                                   const MatchingOptions& options) {
  std::vector<Correspondence> result;
  for (std::size_t i = 0; i < query.size(); ++i) {
    std::vector<std::pair<float, std::size_t>> row;
    for (std::size_t j = 0; j < match.size(); ++j) {
      row.emplace_back(distance_between(query, i, match, j), j);
    }
    std::sort(row.begin(), row.end());
    if (row.empty()) continue;
    const std::size_t best = row[0].second;
    std::vector<std::pair<float, std::size_t>> column;
    for (std::size_t k = 0; k < query.size(); ++k) {
      column.emplace_back(distance_between(query, k, match, best), k);
    }
    const bool mutual = std::min_element(column.begin(), column.end())->second == i;
    const float second = row.size() > 1 ? row[1].first : std::numeric_limits<float>::infinity();
    const bool clear = options.max_ratio >= 1 || row[0].first < options.max_ratio * second;
    if (clear && (mutual || !options.mutual)) {
      result.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(best),
                        row[0].first, second > 0 ? row[0].first / second : 1.0F});
    }
  }
  return result;
}

TEST(MatchDescriptors, EqualsTheDefinitionAtEverySimdLevel) {
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    for (const std::size_t width : {1, 7, 8, 16, 32, 61, 64}) {
      for (const auto& [rows, others] : {std::pair{40, 55}, {1, 33}, {33, 1}, {5, 8}, {3, 0}}) {
        const Descriptors a = random_bytes(rows, width, 1);
        const Descriptors b = random_bytes(others, width, 2);
        for (const MatchingOptions options :
             {MatchingOptions{}, {1, true}, {0.9F, false}, {1, false}}) {
          EXPECT_EQ(match_descriptors(a.view(), b.view(), options),
                    oracle(a.view(), b.view(), options))
              << level << " width " << width << " rows " << rows << " x " << others;
        }
      }
    }
  }
  force_simd_level("");
}

TEST(MatchDescriptors, TakesRealDescriptors) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Descriptors a{DescriptorType::real, 6, {}, {}};
  for (int i = 0; i < 120; ++i) a.floats.push_back(uniform(random));
  Descriptors b = a;
  std::reverse(b.floats.begin(), b.floats.end());
  const auto matches = match_descriptors(a.view(), b.view(), {1, true});
  const auto expected = oracle(a.view(), b.view(), {1, true});
  ASSERT_EQ(matches.size(), expected.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    EXPECT_EQ(matches[i].match, expected[i].match);
    EXPECT_NEAR(matches[i].distance, expected[i].distance, 1e-5);
  }
}

TEST(MatchByNode, ComparesWithinNodesOnly) {
  const Descriptors a = random_bytes(60, 32, 4);
  const Descriptors b = random_bytes(50, 32, 5);
  const std::vector<std::uint32_t> one_a(60, 7);
  const std::vector<std::uint32_t> one_b(50, 7);
  EXPECT_EQ(match_by_node(a.view(), one_a, b.view(), one_b), match_descriptors(a.view(), b.view()))
      << "under one node it is the same";
  std::vector<std::uint32_t> nodes_a(60);
  std::vector<std::uint32_t> nodes_b(50);
  for (std::size_t i = 0; i < 60; ++i) nodes_a[i] = static_cast<std::uint32_t>(i * 7 % 5);
  for (std::size_t i = 0; i < 50; ++i) nodes_b[i] = static_cast<std::uint32_t>(i * 3 % 6);
  const auto matches = match_by_node(a.view(), nodes_a, b.view(), nodes_b, {1, false});
  EXPECT_EQ(matches.size(), 24) << "b has rows under nodes 0 and 3 alone";
  for (const Correspondence& match : matches) {
    EXPECT_EQ(nodes_a[match.query], nodes_b[match.match]);
  }
  test::expect_error(ErrorKind::invalid_argument, "one node per descriptor",
                     [&] { match_by_node(a.view(), nodes_b, b.view(), nodes_b); });
}

TEST(MatchDescriptors, RefusesUnequalKindsAndBadRatios) {
  const Descriptors a = random_bytes(2, 32, 6);
  const Descriptors b = random_bytes(2, 16, 7);
  test::expect_error(ErrorKind::invalid_argument, "rows of 32 and of 16",
                     [&] { match_descriptors(a.view(), b.view()); });
  test::expect_error(ErrorKind::invalid_argument, "ratio", [&] {
    match_descriptors(a.view(), a.view(), {0, true});
  });
}

}  // namespace
}  // namespace looptree
