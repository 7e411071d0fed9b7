// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/temporal.hpp"

#include <gtest/gtest.h>

#include "looptree/detect/keyframes.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

Match match(std::uint32_t frame, double score) {
  return {FrameId(frame), score};
}

Island island(std::uint32_t first, std::uint32_t last) {
  return {FrameId(first), FrameId(last), FrameId(first), 0.5, 0.5};
}

TEST(GroupIslands, JoinsNeighboursAndRanksBySum) {
  const std::vector<Match> matches{match(50, 0.9), match(10, 0.5), match(12, 0.6), match(15, 0.1),
                                   match(19, 0.2)};
  const auto islands = group_islands(matches, 3);
  ASSERT_EQ(islands.size(), 3);
  EXPECT_EQ(islands[0].first, FrameId(10));
  EXPECT_EQ(islands[0].last, FrameId(15));
  EXPECT_EQ(islands[0].best, FrameId(12));
  EXPECT_EQ(islands[0].best_score, 0.6);
  EXPECT_NEAR(islands[0].score, 1.2, 1e-12);
  EXPECT_EQ(islands[1].best, FrameId(50));
  EXPECT_EQ(islands[2].best, FrameId(19));
  EXPECT_TRUE(group_islands({}, 3).empty());
}

TEST(TemporalConsistency, CountsQueriesThatStayInOnePlace) {
  TemporalConsistency temporal({.max_gap = 3, .max_distance = 3, .max_missed = 1});
  EXPECT_EQ(temporal.update(std::vector{island(10, 12), island(80, 81)}),
            (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(temporal.update(std::vector{island(14, 15)}), (std::vector<std::size_t>{2}));
  EXPECT_EQ(temporal.update(std::vector{island(11, 12), island(40, 40)}),
            (std::vector<std::size_t>{3, 1}))
      << "the other direction";
  EXPECT_TRUE(temporal.update({}).empty());
  EXPECT_EQ(temporal.update(std::vector{island(12, 12)}), (std::vector<std::size_t>{4}))
      << "one miss is forgiven";
  temporal.update({});
  temporal.update({});
  EXPECT_EQ(temporal.update(std::vector{island(12, 12)}), (std::vector<std::size_t>{1}))
      << "two are not";
}

std::vector<bool> choose(KeyframeSelector& selector, const std::vector<Pose>& poses) {
  const Histogram histogram(test::words({1}), {1});
  std::vector<bool> chosen;
  for (const Pose& pose : poses) {
    const std::optional<Pose> given = pose;
    chosen.push_back(selector.select({histogram, given}));
  }
  return chosen;
}

std::vector<Pose> poses_at(const std::vector<double>& metres) {
  std::vector<Pose> poses(metres.size());
  for (std::size_t i = 0; i < metres.size(); ++i) poses[i].translation[2] = metres[i];
  return poses;
}

TEST(Keyframes, EveryNth) {
  EXPECT_EQ(choose(*select_all(), poses_at({0, 0, 0})), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(choose(*select_every(3), poses_at({0, 0, 0, 0, 0})),
            (std::vector<bool>{true, false, false, true, false}));
}

TEST(Keyframes, ByMotion) {
  const auto selector = select_by_motion(2, 30);
  std::vector<Pose> poses = poses_at({0, 1.5, 2.1, 3, 4.2, 4.3});
  poses[5].rotation = {0, 0, 1, 0, 1, 0, -1, 0, 0};
  EXPECT_EQ(choose(*selector, poses), (std::vector<bool>{true, false, true, false, true, true}));
  const Histogram histogram;
  test::expect_error(ErrorKind::invalid_argument, "expected a pose", [&] {
    const std::optional<Pose> none;
    selector->select({histogram, none});
  });
}

TEST(Keyframes, ByAppearance) {
  const auto selector = select_by_appearance(0.6);
  const std::optional<Pose> none;
  const auto shown = [&](double share) {
    return Histogram(test::words({1, 2}), {share, 1 - share});
  };
  EXPECT_TRUE(selector->select({shown(0.9), none}));
  EXPECT_FALSE(selector->select({shown(0.7), none}));
  EXPECT_TRUE(selector->select({shown(0.4), none}));
  EXPECT_FALSE(selector->select({shown(0.7), none})) << "against the last one kept";
}

TEST(Keyframes, AreNamed) {
  for (const char* name : {"all", "every:5", "motion:1.5,20", "appearance:0.3"}) {
    EXPECT_NE(parse_keyframe_selector(name), nullptr);
  }
  for (const char* name : {"", "every", "every:0", "every:x", "motion:1", "appearance:2", "some"}) {
    EXPECT_THROW(parse_keyframe_selector(name), Error) << name;
  }
}

}  // namespace
}  // namespace looptree
