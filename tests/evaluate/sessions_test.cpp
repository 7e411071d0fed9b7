// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/protocols/sessions.hpp"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

using test::expect_error;
using test::TemporaryFolder;

/// Six queries against 100 frames: 10, 20, ..., 50, and one that has no place.
SessionsTruth truth_by_numbers() {
  const std::vector<std::vector<std::size_t>> places = {{10}, {20}, {30}, {40}, {50}, {}};
  return {GroundTruth::by_numbers(100, places, 2), GroundTruth::by_numbers(100, places, 8)};
}

TEST(Sessions, ByHand) {
  const std::vector<SessionAnswer> answers = {
      {0, {10, 90}, 11, 80, true},                   // right
      {1, {90, 22}, 26, 60, true},                   // right by the wider rule, second by score
      {2, {90, 91, 92, 93, 94, 31}, 30, 20, false},  // right, but refused
      {3, {90}, 95, 40, true},                       // a false alarm, and a miss
      {4, {50}, {}, 0, false},                       // never verified
      {5, {7}, 7, 15, false}};                       // nowhere, and refused
  const VariantResult result = judge_sessions("orb", answers, truth_by_numbers());
  EXPECT_EQ(result.name, "orb");
  EXPECT_DOUBLE_EQ(*result.metric("recall"), 2.0 / 5);
  EXPECT_DOUBLE_EQ(*result.metric("precision"), 2.0 / 3);
  EXPECT_EQ(*result.metric("claims"), 3);
  EXPECT_EQ(*result.metric("false_alarms"), 1);
  EXPECT_DOUBLE_EQ(*result.metric("recall_at_full_precision"), 2.0 / 5) << "80 and 60 inliers";
  EXPECT_DOUBLE_EQ(*result.metric("best_right"), 2.0 / 5);
  EXPECT_DOUBLE_EQ(*result.metric("in_best_5"), 3.0 / 5);
  EXPECT_DOUBLE_EQ(*result.metric("in_best_20"), 4.0 / 5);
  ASSERT_EQ(result.curve.points.size(), 5u) << "refused matches are part of the curve";
  EXPECT_EQ(result.curve.points[3].right, 3u);
  ASSERT_EQ(result.closures.size(), 3u);
  EXPECT_EQ(result.closures[1], (ScoredClosure{1, 26, 60, true}));
  EXPECT_FALSE(result.closures[2].right);
}

TEST(Sessions, AClaimNearThePlaceOfAQueryThatNeedsNoAnswerIsNeitherRightNorWrong) {
  const SessionsTruth truth = {GroundTruth::by_matrix(2, 2, {1, 0, 0, 0}),
                               GroundTruth::by_matrix(2, 2, {1, 0, 0, 1})};
  const std::vector<SessionAnswer> answers = {{0, {0}, 0, 50, true}, {1, {1}, 1, 50, true}};
  const VariantResult result = judge_sessions("orb", answers, truth);
  EXPECT_EQ(*result.metric("recall"), 1);
  EXPECT_EQ(*result.metric("precision"), 1);
  EXPECT_EQ(*result.metric("claims"), 2);
}

TEST(Sessions, NoAnswersAreNoRecallAndNoFalseAlarm) {
  const VariantResult result = judge_sessions("orb", {}, truth_by_numbers());
  EXPECT_EQ(*result.metric("recall"), 0);
  EXPECT_EQ(*result.metric("precision"), 1);
  EXPECT_EQ(*result.metric("recall_at_full_precision"), 0);
}

TEST(Sessions, RefusesWhatDoesNotFit) {
  const SessionsTruth truth = truth_by_numbers();
  const auto judge = [&](const SessionAnswer& answer) {
    return [&truth, answer] { judge_sessions("orb", std::span(&answer, 1), truth); };
  };
  expect_error(ErrorKind::invalid_argument, "query below 6", judge({.query = 6}));
  expect_error(ErrorKind::invalid_argument, "frame below 100", judge({0, {100}, {}, 0, false}));
  expect_error(ErrorKind::invalid_argument, "match with every claim", judge({0, {}, {}, 0, true}));
  const SessionsTruth uneven = {truth.place, GroundTruth::by_matrix(1, 1, {1})};
  expect_error(ErrorKind::invalid_argument, "same drives",
               [&] { judge_sessions("orb", {}, uneven); });
}

class Places : public ::testing::Test {
 protected:
  std::vector<std::vector<std::size_t>> read(const std::string& text) const {
    std::ofstream(folder_ / "truth.csv", std::ios::binary) << text;
    return read_places(folder_ / "truth.csv", 3, 10);
  }
  void refused(const std::string& text, const std::string& message) const {
    expect_error(ErrorKind::corruption, message, [&] { read(text); });
  }
  TemporaryFolder folder_;
};

TEST_F(Places, SeveralOneOrNone) {
  using Numbers = std::vector<std::size_t>;
  const auto places = read("query,reference,metres\n0,4,1.5\n2,0\r\n0,9\n\n");
  EXPECT_EQ(places, (std::vector<Numbers>{{4, 9}, {}, {0}}));
  EXPECT_EQ(read("query,reference\n"), (std::vector<Numbers>(3)));
}

TEST_F(Places, WhatIsNoTableIsNamedByItsLine) {
  refused("", "\"query,reference\" in line 1");
  refused("0,1\n", "\"query,reference\" in line 1");
  refused("query,reference\n0,1\n3,1\n", "query below 3 and one of the reference in line 3");
  refused("query,reference\n0\n", "in line 2");
  refused("query,reference\n0,10\n", "reference below 10 in line 2");
  refused("query,reference\n0,-1\n", "reference below 10 in line 2");
  refused("query,reference\n0,1x\n", "in line 2");
  refused("query,reference\n99999999999999999999,1\n", "in line 2");
  expect_error(ErrorKind::not_found, "no file", [] { read_places("/nowhere/t.csv", 1, 1); });
}

}  // namespace
}  // namespace looptree::evaluate
