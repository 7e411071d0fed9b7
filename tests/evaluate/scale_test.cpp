// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// What is measured on made-up drives, and on keyframes.
#include "looptree/evaluate/protocols/scale.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "looptree/evaluate/methods/keyframes.hpp"
#include "looptree/evaluate/protocols/statistics.hpp"
#include "looptree/histogram/scores.hpp"

#include "tests/evaluate/made_route.hpp"
#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

using test::expect_error;
using test::MadeRoute;

constexpr std::uint32_t kWords = MadeRoute::kVocabularySize;

WordStream small_stream() {
  return WordStream({.vocabulary_size = 2000,
                     .landmarks = 80,
                     .recognition = 1,
                     .new_frames = 100,
                     .revisit_frames = 40});
}

TEST(Scale, AsksAtSizesUpToTheWhole) {
  const WordStream stream = small_stream();
  const WordSpace words(stream.word_weights());
  const std::vector<Variant> variants = {make_variant("d1", words), make_variant("lists", words),
                                         make_variant("d2b4-max", words)};
  const EvaluationResult result = scale(
      stream, 400, variants, {.threshold = 0.2, .stages = 4, .queries_per_stage = 5, .passes = 2});
  EXPECT_EQ(result.protocol, "scale");
  std::set<std::uint32_t> sizes;
  for (const QueryTime& time : result.times) sizes.insert(time.database_size);
  EXPECT_EQ(sizes, (std::set<std::uint32_t>{100, 200, 300, 400}));
  EXPECT_GT(result.variants[0].metric("recall").value(), 0.2);
  for (const VariantResult& variant : result.variants) {
    EXPECT_EQ(variant.metric("hits_kept"), 1.0) << variant.name << " is exact";
    EXPECT_EQ(variant.metric("recall"), result.variants[0].metric("recall")) << variant.name;
  }
}

TEST(Scale, GivesTheSameAnswersAgain) {
  const WordStream stream = small_stream();
  const std::vector<Variant> variants = {make_variant("d2b4-mean", 2000)};
  const SyntheticOptions options{
      .threshold = 0.2, .stages = 2, .queries_per_stage = 8, .passes = 1};
  const EvaluationResult one = scale(stream, 200, variants, options);
  const EvaluationResult two = scale(stream, 200, variants, options);
  EXPECT_EQ(one.variants[0].metric("recall"), two.variants[0].metric("recall"));
  EXPECT_EQ(one.variants[0].metric("false_alarms"), two.variants[0].metric("false_alarms"));
  ASSERT_EQ(one.times.size(), two.times.size());
  for (std::size_t i = 0; i < one.times.size(); ++i) {
    EXPECT_EQ(one.times[i].query, two.times[i].query);
  }
}

TEST(Keyframes, FollowTheSelector) {
  const MadeRoute made(60, 60, 3);
  const auto every = select_every(7);
  const std::vector<bool> seventh = choose_keyframes(made.histograms, {}, *every);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(seventh[i], i % 7 == 0) << i;

  const auto moved = select_by_motion(2.99, 180);  // a metre per frame, along the chord less
  const std::vector<bool> motion = choose_keyframes(made.histograms, made.poses, *moved);
  EXPECT_TRUE(motion[0]);
  EXPECT_FALSE(motion[1]);
  EXPECT_NEAR(static_cast<double>(std::count(motion.begin(), motion.end(), true)), 17, 3);
}

TEST(Keyframes, AreNeverFramesWithoutWords) {
  std::vector<Histogram> frames = MadeRoute(5, 5, 1).histograms;
  frames[0] = {};
  const auto all = select_all();
  EXPECT_EQ(choose_keyframes(frames, {}, *all), (std::vector<bool>{false, true, true, true, true}));
  const std::vector<Pose> three(3);
  expect_error(ErrorKind::invalid_argument, "found 3",
               [&] { choose_keyframes(frames, three, *all); });
  const auto motion = select_by_motion(1, 10);
  expect_error(ErrorKind::invalid_argument, "pose", [&] { choose_keyframes(frames, {}, *motion); });
}

TEST(Keyframes, AnswerWithKeyframesOnly) {
  const MadeRoute made(200, 200, 4);
  const OddEven split = odd_even(made.histograms);
  std::vector<Pose> poses;
  std::vector<Pose> query_poses;
  for (std::size_t i = 1; i < made.poses.size(); i += 2) {
    poses.push_back(made.poses[i]);
    query_poses.push_back(made.poses[i - 1]);
  }
  const auto every = select_every(4);
  const std::vector<bool> keep = choose_keyframes(split.database, poses, *every);
  const std::vector<Variant> variants = {make_variant("d1", kWords),
                                         on_keyframes(make_variant("d1", kWords), keep)};
  const SyntheticQueries queries{split.queries, {}, GroundTruth::by_poses(query_poses, poses, {3})};
  const EvaluationResult result =
      synthetic_queries(from_span(split.database), queries, variants,
                        {.threshold = 0.1, .stages = 1, .queries_per_stage = 40, .passes = 1});
  EXPECT_EQ(result.variants[1].name, "keyframes d1");
  EXPECT_LT(result.variants[1].metric("hits_kept").value(), 0.5);
  for (const QueryTime& time : result.times) {
    EXPECT_EQ(time.database_size, time.variant == 0 ? 100u : 25u);
  }
}

TEST(Statistics, AgreeWithCountingByHand) {
  // Four frames of 2 words, the last like the first; all earlier frames may answer.
  const std::vector<double> weights(10, 1.0);
  const auto frame = [&](std::vector<WordId> words) { return make_histogram(words, weights); };
  const std::vector<Histogram> histograms = {frame(test::words({0, 1})), frame(test::words({2, 3})),
                                             frame(test::words({2, 4, 4})),
                                             frame(test::words({0, 1}))};
  const Route route{"hand", histograms, GroundTruth::by_labels({0, 1, 2, 0}, {0, 1, 2, 0})};
  WordSpace words(10);
  words.weights = weights;
  const VariantResult result = word_statistics(route, words, {.exclude_recent = 0});
  EXPECT_EQ(result.metric("distinct_words"), 2.0);
  EXPECT_EQ(result.metric("distinct_deviation"), 0.0);
  EXPECT_EQ(result.metric("once_share"), 7.0 / 8);
  // Frame 1 is compared with 0, 2 with 0 and 1, 3 with 1 and 2 (0 is right): of the five only
  // (2, 1) share a word, min(1/3, 1/2).
  EXPECT_NEAR(result.metric("wrong_mean").value(), 1.0 / 3 / 5, 1e-9);
  EXPECT_NEAR(result.metric("wrong_max").value(), 1.0 / 3, 1e-9);
  EXPECT_NEAR(result.metric("postings_per_frame").value(), 3.0 / 6, 1e-12);
  EXPECT_EQ(result.metric("recall"), 1.0);
  expect_error(ErrorKind::invalid_argument, "a weight for every word",
               [&] { word_statistics(route, 10); });
  expect_error(ErrorKind::invalid_argument, "sample",
               [&] { word_statistics(route, words, {.exclude_recent = 0, .sample = 0}); });
}

}  // namespace
}  // namespace looptree::evaluate
