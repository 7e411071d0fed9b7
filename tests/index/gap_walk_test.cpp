// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Words out of gaps, at every SIMD level, against a plain loop.
#include "looptree/index/kernels/gap_walk.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/common/simd.hpp"

#include "tests/index/gap_bytes.hpp"

namespace looptree {
namespace {

using detail::kGapBits;
using detail::kLongGap;

/// Words with gaps of any size, among them the largest short and the least long ones. Some
/// stretches are dense, others wide.
std::vector<std::uint32_t> random_words(Random& random, std::size_t count, std::size_t long_every) {
  std::vector<std::uint32_t> words;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    next += static_cast<std::uint32_t>(random.below(i / 64 % 3 == 0 ? 20 : 200 * (i / 64 % 3)));
    if (random.below(long_every) == 0) {
      next += kLongGap - 2 + static_cast<std::uint32_t>(random.below(4));
    }
    words.push_back(next++);
  }
  return words;
}

TEST(GapWalk, FindsTheWordsWhoseBitIsSet) {
  Random random(11);
  for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 31u, 32u, 33u, 300u, 1001u, 3001u}) {
    for (const std::size_t long_every : {2u, 20u, 100000u}) {
      const std::vector<std::uint32_t> words = random_words(random, count, long_every);
      const std::vector<std::uint8_t> gaps = gaps_of(words);
      std::vector<std::uint64_t> bits(kGapBits / 64);
      for (std::uint64_t& each : bits) each = random.next() & random.next();
      std::vector<std::uint32_t> expected;
      for (const std::uint32_t word : words) {
        const std::uint32_t entry = word % kGapBits;
        if ((bits[entry / 64] >> (entry % 64) & 1) != 0) expected.push_back(word);
      }
      for (const std::string& level : simd_levels()) {
        force_simd_level(level);
        std::vector<std::uint32_t> found(count + detail::kGapSlack);
        found.resize(detail::words_in({gaps.data(), static_cast<std::uint32_t>(count)}, bits.data(),
                                      found.data()));
        EXPECT_EQ(found, expected) << level << ", " << count << " words";
      }
      force_simd_level("");
    }
  }
}

}  // namespace
}  // namespace looptree
