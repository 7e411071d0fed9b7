// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/choice.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace looptree {
namespace {

TEST(ClosureTrail, CountsClosuresThatLeadOn) {
  ClosureTrail trail(2);
  EXPECT_EQ(trail.length(), 0U);
  trail.add(FrameId(3));
  EXPECT_EQ(trail.around(), (std::pair{FrameId(0), FrameId(14)}));
  trail.add(FrameId(5));
  EXPECT_EQ(trail.length(), 2U);
  trail.add(std::nullopt);
  trail.add(std::nullopt);
  EXPECT_EQ(trail.length(), 2U);
  trail.add(FrameId(8));
  EXPECT_EQ(trail.length(), 3U);
  trail.add(FrameId(100));
  EXPECT_EQ(trail.length(), 1U);
  for (int i = 0; i < 3; ++i) trail.add(std::nullopt);
  EXPECT_EQ(trail.length(), 0U);
}

constexpr Judgement kRefused{};
constexpr Judgement kBelieved{.verified = true, .believed = true, .needed_inliers = 38};
constexpr Judgement kSure{
    .verified = true, .believed = true, .beyond_doubt = true, .needed_inliers = 38};

std::optional<std::size_t> choose(const std::vector<Looked>& looked, const ClosureTrail& trail,
                                  const SamePlace& same = {}) {
  return choose_closure(looked, trail, {.distinct_factor = 2}, same);
}

TEST(ChooseClosure, TakesTheMostInliersThatAreBelieved) {
  const ClosureTrail nowhere(2);
  EXPECT_EQ(choose({}, nowhere), std::nullopt);
  EXPECT_EQ(choose({{FrameId(1), 90, kRefused}}, nowhere), std::nullopt);
  EXPECT_EQ(choose({{FrameId(1), 60, kSure}, {FrameId(50), 80, kSure}}, nowhere), 1U);
  EXPECT_EQ(choose({{FrameId(1), 60, kSure}, {FrameId(50), 80, kRefused}}, nowhere), 0U);
}

TEST(ChooseClosure, WeakEvidenceMustStandOutOfOtherPlaces) {
  const ClosureTrail nowhere(2);
  EXPECT_EQ(choose({{FrameId(1), 40, kBelieved}}, nowhere), 0U);
  EXPECT_EQ(choose({{FrameId(1), 40, kBelieved}, {FrameId(50), 20, kRefused}}, nowhere), 0U);
  EXPECT_EQ(choose({{FrameId(1), 40, kBelieved}, {FrameId(50), 21, kRefused}}, nowhere),
            std::nullopt);
  // Frames beside it are no other place.
  EXPECT_EQ(choose({{FrameId(1), 40, kBelieved}, {FrameId(11), 39, kBelieved}}, nowhere), 0U);
  EXPECT_EQ(choose({{FrameId(12), 40, kBelieved}, {FrameId(1), 39, kRefused}}, nowhere),
            std::nullopt);
}

TEST(ChooseClosure, AFactorOfOneAsksNobody) {
  const std::vector<Looked> looked{{FrameId(1), 40, kBelieved}, {FrameId(50), 60, kRefused}};
  EXPECT_EQ(choose(looked, ClosureTrail(2)), std::nullopt);
  EXPECT_EQ(choose_closure(looked, ClosureTrail(2), {.distinct_factor = 1}), 0U);
}

TEST(ChooseClosure, AnotherDriveThroughTheSameStreetIsNoOtherPlace) {
  const std::vector<Looked> looked{
      {FrameId(1), 40, kBelieved}, {FrameId(500), 39, kBelieved}, {FrameId(900), 15, kRefused}};
  std::vector<FrameId> asked;
  const SamePlace same = [&](FrameId a, FrameId b) {
    EXPECT_EQ(a, FrameId(1));
    asked.push_back(b);
    return b == FrameId(500);
  };
  EXPECT_EQ(choose(looked, ClosureTrail(2), same), 0U);
  EXPECT_EQ(asked, std::vector{FrameId(500)}) << "only what comes near";
}

TEST(ChooseClosure, WhereTheTrailLeadsNoOtherPlaceIsAsked) {
  const std::vector<Looked> looked{{FrameId(30), 45, kBelieved}, {FrameId(500), 40, kBelieved}};
  ClosureTrail trail(2);
  trail.add(FrameId(25));
  EXPECT_EQ(choose(looked, trail), 0U);
  trail.add(FrameId(495));
  EXPECT_EQ(choose(looked, trail), 1U);
  trail.add(FrameId(100));
  EXPECT_EQ(choose(looked, trail), std::nullopt);
}

}  // namespace
}  // namespace looptree
