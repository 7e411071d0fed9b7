// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/methods/agglomerate.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/evaluate/protocols/adaptive.hpp"

#include "tests/evaluate/made_route.hpp"
#include "tests/support.hpp"

namespace looptree::evaluate {
namespace {

using test::expect_error;
using test::MadeRoute;

std::vector<Histogram> made_histograms(std::size_t count, std::uint64_t seed, bool normalised) {
  Random random(seed);
  std::vector<Histogram> histograms;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<WordId> words;
    std::vector<double> weights;
    for (std::uint32_t word = 0; word < 30; ++word) {
      if (random.below(3) != 0) continue;
      words.emplace_back(word);
      weights.push_back(0.1 + random.uniform());
    }
    const Histogram histogram(words, weights);
    histograms.push_back(normalised ? histogram.normalized() : histogram);
  }
  return histograms;
}

std::size_t count(const Groups& groups) {
  return std::set<std::uint32_t>(groups.begin(), groups.end()).size();
}

class Linkages : public ::testing::TestWithParam<Linkage> {};

TEST_P(Linkages, FastFormMergesAsTheDefinitionDoes) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const bool normalised : {true, false}) {
      const std::vector<Histogram> histograms = made_histograms(26, seed, normalised);
      for (const std::size_t groups : {25u, 12u, 5u, 1u}) {
        EXPECT_EQ(agglomerate(histograms, groups, GetParam()),
                  agglomerate_plainly(histograms, groups, GetParam()))
            << seed << " " << groups;
      }
    }
  }
}

TEST_P(Linkages, RoutesFallIntoTheirPlaces) {
  const MadeRoute made(60, 20, 1);  // three rounds of 20 places
  const Groups groups = agglomerate(made.histograms, 20, GetParam());
  EXPECT_EQ(count(groups), 20u);
  EXPECT_EQ(groups[0], 0u) << "groups are numbered by their first member";
  std::size_t together = 0;
  for (std::size_t i = 20; i < 60; ++i) {
    for (std::size_t j = i % 20; j < i; j += 20) together += groups[i] == groups[j] ? 1 : 0;
  }
  EXPECT_GT(together, 20u) << "rounds see the same";
}

TEST_P(Linkages, KnowsTheEnds) {
  const std::vector<Histogram> histograms = made_histograms(9, 5, true);
  const Groups alone = agglomerate(histograms, 9, GetParam());
  for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(alone[i], i);
  EXPECT_EQ(agglomerate(histograms, 1, GetParam()), Groups(9, 0));
  EXPECT_EQ(agglomerate(std::vector<Histogram>(1), 1, GetParam()), Groups(1, 0));
  expect_error(ErrorKind::invalid_argument, "from 1 to 9 groups",
               [&] { agglomerate(histograms, 10, GetParam()); });
  expect_error(ErrorKind::invalid_argument, "found 0",
               [&] { agglomerate_plainly(histograms, 0, GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Both, Linkages, ::testing::Values(Linkage::information, Linkage::ward));

TEST(Bottleneck, MergesWhatTellsLeast) {
  // 0 and 1 are alike, 2 is rare and unlike, 3 weighs much and is a little like 0.
  const auto histogram = [](std::vector<double> weights) {
    std::vector<WordId> words;
    for (std::uint32_t i = 0; i < weights.size(); ++i) words.emplace_back(i);
    return Histogram(words, weights);
  };
  const std::vector<Histogram> histograms = {histogram({1, 1, 0}), histogram({2, 2, 0}),
                                             histogram({0, 0, 0.01}), histogram({5, 0, 5})};
  EXPECT_EQ(agglomerate(histograms, 3, Linkage::information), (Groups{0, 0, 1, 2}));
  EXPECT_EQ(agglomerate(histograms, 2, Linkage::information), (Groups{0, 0, 1, 1}));
}

TEST(ReducedVocabulary, JoinsWordsOfTheSamePlaces) {
  // Words 0 and 2 are of place 0, 1 and 3 of place 1, 5 of place 2; nobody sees 4 and 6.
  const auto image = [](std::vector<std::uint32_t> words) {
    std::vector<WordId> ids;
    for (const std::uint32_t word : words) ids.emplace_back(word);
    return Histogram(ids, std::vector<double>(ids.size(), 1.0)).normalized();
  };
  const std::vector<Histogram> images = {image({0, 2}), image({1, 3}), image({0, 2, 5}),
                                         image({5})};
  const std::vector<std::uint32_t> places = {0, 1, 0, 2};
  std::vector<std::uint32_t> words;
  for (const WordId word : reduce_vocabulary(images, places, 7, 4)) words.push_back(word.value);
  EXPECT_EQ(words, (std::vector<std::uint32_t>{0, 1, 0, 1, 2, 3, 2}));
  EXPECT_EQ(reduce_vocabulary(images, places, 7, 1), std::vector<WordId>(7, WordId{0}));
  EXPECT_EQ(reduce_vocabulary({}, {}, 3, 2), std::vector<WordId>(3, WordId{0}));
}

TEST(ReducedVocabulary, RewordsSequences) {
  WordSequence sequence;
  sequence.vocabulary_size = 4;
  sequence.frames = {{WordId{0}, WordId{3}, WordId{0}}, {}, {WordId{2}}};
  const std::vector<WordId> reduced = {WordId{0}, WordId{1}, WordId{1}, WordId{0}};
  const WordSequence fewer = reduce_words(sequence, reduced, {0.5F, 2.0F});
  EXPECT_EQ(fewer.vocabulary_size, 2u);
  EXPECT_EQ(fewer.frames[0], std::vector<WordId>(3, WordId{0}));
  EXPECT_EQ(fewer.frames[2], std::vector<WordId>(1, WordId{1}));
  EXPECT_EQ(fewer.word_weights, (std::vector<float>{0.5F, 2.0F}));
  EXPECT_TRUE(reduce_words(sequence, reduced).word_weights.empty());
  expect_error(ErrorKind::invalid_argument, "for each of 4 words, found 3",
               [&] { reduce_words(sequence, std::span(reduced).first(3)); });
  expect_error(ErrorKind::invalid_argument, "a new word below 1",
               [&] { reduce_words(sequence, reduced, {1.0F}); });
}

TEST(ReducedVocabulary, RefusesWhatDoesNotFit) {
  const std::vector<Histogram> images = made_histograms(3, 1, true);
  const std::vector<std::uint32_t> places = {0, 1, 2};
  expect_error(ErrorKind::invalid_argument, "one place per image",
               [&] { reduce_vocabulary(images, {}, 30, 5); });
  expect_error(ErrorKind::invalid_argument, "words below 10",
               [&] { reduce_vocabulary(images, places, 10, 5); });
  expect_error(ErrorKind::invalid_argument, "from 1 to 30 words",
               [&] { reduce_vocabulary(images, places, 30, 31); });
}

TEST(Adaptive, ComparesGroupsOfHistogramsToo) {
  const MadeRoute made(240, 120, 3);
  OddEven split = odd_even(made.histograms);
  std::vector<Pose> odd;
  std::vector<Pose> even;
  for (std::size_t i = 0; i < 240; ++i) (i % 2 == 0 ? even : odd).push_back(made.poses[i]);
  const SyntheticQueries queries{split.queries, {}, GroundTruth::by_poses(even, odd, {3, 180})};
  const EvaluationResult result =
      adaptive(split.database, odd, queries, MadeRoute::kVocabularySize,
               {.branching = 8,
                .trials = 2,
                .agglomerative = true,
                .queries = {.threshold = 0.2, .stages = 1, .queries_per_stage = 30, .passes = 1}});
  std::vector<std::string> names;
  for (const VariantResult& variant : result.variants) names.push_back(variant.name);
  EXPECT_EQ(names, (std::vector<std::string>{"d1", "regular", "adaptive", "parallax", "bottleneck",
                                             "ward"}));
  for (const VariantResult& variant : result.variants) {
    const bool grouped = variant.name != "d1" && variant.name != "regular";
    EXPECT_EQ(variant.metric("build_s").has_value(), grouped) << variant.name;
    if (grouped) {
      EXPECT_GE(variant.metric("largest_group").value(), 8) << variant.name;
      EXPECT_LE(variant.metric("groups_of_one").value(), 15) << variant.name;  // of 15 groups
    }
    EXPECT_LE(variant.metric("recall").value(), result.variants[0].metric("recall").value());
  }
}

}  // namespace
}  // namespace looptree::evaluate
