// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Sums over a plan, at every SIMD level and where units and bit planes change, against plain loops.
#include "looptree/index/kernels/count_rows.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/common/simd.hpp"
#include "looptree/index/core/huge_pages.hpp"
#include "looptree/index/kernels/block_sums.hpp"
#include "looptree/index/search/row_plans.hpp"

namespace looptree {
namespace {

using detail::kBlockFrames;
using detail::kLine;
using detail::RowPlan;

using Sums = std::array<std::uint16_t, kBlockFrames>;

/// Random rows, of which the first is empty and the last is full.
class Block {
 public:
  explicit Block(Random& random) : lines_(pool_.allocate(kLines)) {
    for (std::uint32_t i = kLine; i < kLines * kLine; ++i) {
      lines_.data()[i] = static_cast<std::uint8_t>(i / kLine == kLines - 1 ? 255 : random.next());
    }
  }

  static constexpr std::uint32_t kLines = 40;
  detail::BlockRows rows() const { return {lines_.data(), lines_.data()}; }
  bool bit(std::uint32_t row, std::uint32_t frame) const {
    return (lines_.data()[row + frame / 8] >> (frame % 8) & 1) != 0;
  }

 private:
  detail::LinePool pool_;
  detail::Lines lines_;
};

/// Row by row, each with the level of its unit.
Sums plain_sums(const RowPlan& plan, const Block& block) {
  Sums sums{};
  for (std::size_t batch = 0; batch < plan.batches(); ++batch) {
    for (std::size_t row = plan.first_row(batch); row < plan.first_row(batch + 1); ++row) {
      for (std::uint32_t frame = 0; frame < kBlockFrames; ++frame) {
        if (block.bit(plan.rows[row], frame)) sums[frame] += plan.impacts[batch];
      }
    }
  }
  return sums;
}

void expect_sums(const RowPlan& plan, const Block& block) {
  const Sums expected = plain_sums(plan, block);
  const std::uint16_t highest = *std::max_element(expected.begin(), expected.end());
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    Sums sums{};
    const detail::BlockSums block_sums(plan, block.rows());
    detail::add_block_sums(block_sums, sums.data());
    EXPECT_EQ(sums, expected) << level << ", " << plan.rows.size() << " rows";
    for (std::uint32_t frame = 0; frame < kBlockFrames; ++frame) {
      ASSERT_EQ(block_sums.of(frame), expected[frame]) << level << ", frame " << frame;
    }
    for (const std::uint32_t least : {1u, highest / 2u + 1, highest + 0u, highest + 1u}) {
      const detail::FrameBits reaching = detail::frames_reaching(block_sums, least);
      const auto many = static_cast<std::uint32_t>(
          std::count_if(expected.begin(), expected.end(), [&](auto sum) { return sum >= least; }));
      EXPECT_EQ(reaching.count(), many) << level << ", from " << least;
    }
  }
  force_simd_level("");
}

/// Counts of rows around which units grow larger or counts get another bit plane.
const std::vector<std::size_t> kEdges = {1,    7,    8,    9,    119,  120,  121,  183,  184, 185,
                                         1015, 1016, 1017, 1080, 1081, 2039, 2040, 2041, 2104};

class RowCount : public testing::TestWithParam<RowPlan::Grain> {};

TEST_P(RowCount, AddsUpRowsOfAnyImpactAtTheEdgesOfBatches) {
  Random random(21);
  detail::Workspace workspace;
  const Block block(random);
  for (const std::size_t count : kEdges) {
    auto rows = detail::scratch<std::uint32_t>(workspace, count);
    auto impacts = detail::scratch<std::uint32_t>(workspace, count);
    const auto most = static_cast<std::uint32_t>(std::clamp<std::size_t>(30000 / count, 2, 600));
    for (std::size_t i = 0; i < count; ++i) {
      rows[i] = static_cast<std::uint32_t>(1 + random.below(Block::kLines - 1)) * kLine;
      impacts[i] = static_cast<std::uint32_t>(1 + random.below(most));
    }
    const RowPlan plan = detail::make_row_plan({rows, impacts, most}, {1}, GetParam());
    ASSERT_TRUE(std::is_sorted(plan.impacts.rbegin(), plan.impacts.rend()));
    ASSERT_EQ(plan.rows.size(), plan.first_row(plan.batches()) + RowPlan::kRepeatedRows);
    expect_sums(plan, block);
    // Never less than each row's own impact, what found no room included.
    const Sums sums = plain_sums(plan, block);
    for (std::uint32_t frame = 0; frame < kBlockFrames; ++frame) {
      std::uint64_t least = 0;
      for (std::size_t i = 0; i < count; ++i) least += block.bit(rows[i], frame) ? impacts[i] : 0;
      ASSERT_GE(sums[frame] + plan.remainder, least) << count << " rows, frame " << frame;
    }
  }
}

TEST_P(RowCount, FullRowsFillCountsAndSumsToTheirWidth) {
  Random random(22);
  detail::Workspace workspace;
  const Block block(random);
  constexpr std::uint32_t kFull = (Block::kLines - 1) * kLine;
  for (const std::size_t count :
       {std::size_t{RowPlan::kSmallRows}, std::size_t{1016}, std::size_t{2040},
        std::size_t{RowPlan::kMaxRows}, RowPlan::kMaxRows + 100}) {
    const auto each = static_cast<std::uint32_t>(
        std::min<std::size_t>(RowPlan::kMaxImpact, RowPlan::kMaxSum / count));
    auto rows = detail::scratch<std::uint32_t>(workspace, count);
    auto impacts = detail::scratch<std::uint32_t>(workspace, count);
    std::fill(rows.begin(), rows.end(), kFull);
    std::fill(impacts.begin(), impacts.end(), each);
    const RowPlan plan = detail::make_row_plan({rows, impacts, each}, {1}, GetParam());
    expect_sums(plan, block);
    const std::uint64_t bound = plain_sums(plan, block)[0] + plan.remainder;
    EXPECT_GE(bound, std::uint64_t{count} * each);
  }
}

TEST(HighestSums, AreThoseOfEverySet) {
  Random random(23);
  Sums sums{};
  for (std::uint16_t& sum : sums) sum = static_cast<std::uint16_t>(random.next());
  detail::SetSums expected{};
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::uint16_t& set = expected[i % expected.size()];
    set = std::max(set, sums[i]);
  }
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    EXPECT_EQ(detail::highest_sums(sums.data()), expected) << level;
  }
  force_simd_level("");
}

INSTANTIATE_TEST_SUITE_P(Grains, RowCount,
                         testing::Values(RowPlan::Grain::rough, RowPlan::Grain::coarse,
                                         RowPlan::Grain::fine));

}  // namespace
}  // namespace looptree
