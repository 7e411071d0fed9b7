// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/covisibility.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "looptree/histogram/l1_query.hpp"

#include "tests/index/random_route.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::words;

Histogram image(std::initializer_list<std::uint32_t> seen) {
  return make_histogram(words(seen), std::vector<float>(20, 1.0f));
}

/// Frames 0 to 4 share 4, 4, 4, 3 and 0 words with the query {0, 1, 2, 3}.
class Covisible : public testing::Test {
 protected:
  Covisible() {
    index_.insert(image({1, 2, 3, 0, 9}));
    index_.insert(image({0, 1, 2, 3}));
    index_.insert(image({0, 1, 2, 3, 7, 8}));
    index_.insert(image({0, 1, 2, 11}));
    index_.insert(image({15, 16}));
    covisibility_.neighbours = [this](FrameId frame, std::size_t n) {
      std::vector<FrameId> result = neighbours_[frame.value];
      if (result.size() > n) result.resize(n);
      return result;
    };
  }

  PooledIndex index_{{.vocabulary_size = 20, .topology = {}, .word_weights = {}}};
  Histogram query_ = image({0, 1, 2, 3});
  std::map<std::uint32_t, std::vector<FrameId>> neighbours_;
  Covisibility covisibility_;
};

TEST_F(Covisible, KeepsThoseWithMostCommonWordsAndScore) {
  const CovisibilityCandidates found = loop_candidates(index_, query_, 0.5f, covisibility_);
  EXPECT_EQ(found.most_common, 4u);
  ASSERT_EQ(found.scored.size(), 3u);  // frame 3 has 3 words, and 3 is not more than int(3.2)
  EXPECT_EQ(found.frames, (std::vector<FrameId>{FrameId{0}, FrameId{1}}));
  EXPECT_FLOAT_EQ(found.scored[0].score, 0.8f);
  EXPECT_EQ(found.sharing, 4u);
}

TEST_F(Covisible, NeighboursAddUpAndTheBestStandsForTheGroup) {
  neighbours_[2] = {FrameId{1}, FrameId{0}, FrameId{99}};
  const CovisibilityCandidates found = loop_candidates(index_, query_, 0.1f, covisibility_);
  ASSERT_EQ(found.groups.size(), 3u);
  EXPECT_EQ(found.groups[2].best, FrameId{1});
  EXPECT_NEAR(found.groups[2].score, 2.0 / 3 + 1 + 0.8, 1e-6);
  EXPECT_EQ(found.frames, std::vector<FrameId>{FrameId{1}});
  CovisibilityOptions options;
  options.neighbours = 0;
  EXPECT_EQ(loop_candidates(index_, query_, 0.1f, covisibility_, options).groups[2].best,
            FrameId{2});
}

TEST_F(Covisible, ConnectedFramesAreOut) {
  covisibility_.connected = [](FrameId frame) { return frame.value < 3; };
  CovisibilityOptions options;
  options.count_sharing = true;
  const CovisibilityCandidates found =
      loop_candidates(index_, query_, 0.1f, covisibility_, options);
  EXPECT_EQ(found.most_common, 3u);
  EXPECT_EQ(found.sharing, 1u);
  EXPECT_EQ(found.frames, std::vector<FrameId>{FrameId{3}});
  // A lost camera is connected to nothing.
  EXPECT_EQ(relocalization_candidates(index_, query_, covisibility_).most_common, 4u);
}

TEST_F(Covisible, OptionsAreTheConstants) {
  CovisibilityOptions options;
  options.common_fraction = 0.5f;
  EXPECT_EQ(loop_candidates(index_, query_, 0.1f, covisibility_, options).scored.size(), 4u);
  options.min_words = 3;
  EXPECT_EQ(loop_candidates(index_, query_, 0.1f, covisibility_, options).scored.size(), 3u);
  options.group_fraction = 0.5f;
  EXPECT_EQ(loop_candidates(index_, query_, 0.1f, covisibility_, options).frames.size(), 3u);
  options.filter.first = FrameId{1};
  EXPECT_EQ(loop_candidates(index_, query_, 0.1f, covisibility_, options).scored.size(), 2u);
  options.score = [](FrameId) { return 0.25f; };
  EXPECT_EQ(loop_candidates(index_, query_, 0.1f, covisibility_, options).scored[0].score, 0.25f);
}

TEST_F(Covisible, BestCandidatesAreSplitByMap) {
  neighbours_[2] = {FrameId{0}};
  const auto relation = [](FrameId frame) {
    return frame.value == 1 ? MapRelation::other : MapRelation::same;
  };
  const BestCandidates both = best_candidates(index_, query_, 3, covisibility_, relation);
  EXPECT_EQ(both.loops, std::vector<FrameId>{FrameId{0}});  // leads itself, and stands for 2
  EXPECT_EQ(both.merges, std::vector<FrameId>{FrameId{1}});
  const BestCandidates one =
      best_candidates(index_, query_, 1, covisibility_, [](FrameId) { return MapRelation::same; });
  EXPECT_EQ(one.loops, std::vector<FrameId>{FrameId{0}});
  EXPECT_TRUE(best_candidates(index_, query_, 3, covisibility_, [](FrameId) {
                return MapRelation::none;
              }).loops.empty());
}

TEST_F(Covisible, LeftOverScoresCountOnlyWhereGiven) {
  neighbours_[1] = {FrameId{3}};
  const std::vector<ScoredKeyframe> scored = {{FrameId{1}, 4, 1.0f}};
  EXPECT_EQ(covisible_groups(scored, 0, covisibility_)[0].score, 1.0f);
  const std::vector<ScoredKeyframe> left_over = {{FrameId{3}, 0, 5.0f}};
  const auto groups = covisible_groups(scored, 0, covisibility_, {}, left_over);
  EXPECT_EQ(groups[0], (CovisibleGroup{FrameId{1}, FrameId{3}, 6.0f}));
  // One that is worse than nothing empties the answer, as it does in ORB-SLAM.
  const std::vector<ScoredKeyframe> negative = {{FrameId{3}, 0, -1.5f}};
  EXPECT_TRUE(
      best_of_groups(covisible_groups(scored, 0, covisibility_, {}, negative), 0, 0.75f).empty());
}

TEST_F(Covisible, RefusesNonsenseAndAnswersNothingWithNothing) {
  EXPECT_TRUE(loop_candidates(index_, Histogram(), 0, covisibility_).frames.empty());
  expect_error(ErrorKind::invalid_argument, "minimum score",
               [&] { loop_candidates(index_, query_, NAN, covisibility_); });
  CovisibilityOptions options;
  options.group_fraction = 2;
  expect_error(ErrorKind::invalid_argument, "heaviest group",
               [&] { loop_candidates(index_, query_, 0, covisibility_, options); });
  expect_error(ErrorKind::invalid_argument, "loops from merges",
               [&] { best_candidates(index_, query_, 3, covisibility_, nullptr); });
}

}  // namespace
}  // namespace looptree
