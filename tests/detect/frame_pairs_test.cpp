// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Pairs of frames of two maps get the verdict that a detector would give them.
#include "looptree/detect/frame_pairs.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/error.hpp"
#include "looptree/dataset/demo_world.hpp"
#include "looptree/features/extractor.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

/// Frames of the demo world, which comes back after 200, as two maps of the same words.
class TwoMaps : public ::testing::Test {
 protected:
  TwoMaps() {
    const auto extractor = make_extractor({});
    for (const std::size_t frame : {0, 4, 60}) insert(before, *extractor, frame);
    for (const std::size_t frame : {206, 2}) insert(now, *extractor, frame);
    before.insert(histogram);  // without features
    options.calibration = world->info().calibration;
    options.closure_pose.from_odometry = true;
  }

  void insert(Map& map, const FeatureExtractor& extractor, std::size_t frame) {
    map.insert(histogram, {.pose = world->info().frames[frame].pose},
               extractor.extract(world->image(frame)));
  }

  static Map made(const std::filesystem::path& path) {
    return Map::create(path, {.vocabulary = {.hash = 1, .words = 10}});
  }

  test::TemporaryFolder folder;
  std::unique_ptr<Sequence> world = open_demo_world({});
  Histogram histogram{{WordId{3}}, {1.0}};
  Map before = made(folder.path() / "before.map");
  Map now = made(folder.path() / "now.map");
  FramePairOptions options;
};

TEST_F(TwoMaps, AreJudgedAsADetectorJudges) {
  const std::vector<FramePair> pairs{{FrameId{1}, FrameId{0}, false},
                                     {FrameId{1}, FrameId{2}, true},
                                     {FrameId{1}, FrameId{3}, true}};
  const std::vector<PairVerdict> verdicts = verify_pairs(now, before, pairs, options);
  ASSERT_EQ(verdicts.size(), 3U);
  VerificationOptions verification = options.verification;
  verification.min_correspondences = fewest_inliers(options.evidence, true);
  for (std::size_t i = 0; i < 2; ++i) {
    const Verification expected =
        verify(*now.features(pairs[i].query), *before.features(pairs[i].match), options.calibration,
               verification);
    EXPECT_EQ(verdicts[i].verification.inliers, expected.inliers);
    EXPECT_EQ(verdicts[i].judgement.believed,
              judge(expected, options.evidence, true, pairs[i].consistent).believed);
  }
  EXPECT_TRUE(verdicts[0].judgement.believed);
  EXPECT_FALSE(verdicts[1].judgement.believed);
  EXPECT_FALSE(verdicts[2].judgement.believed);
  EXPECT_FALSE(verdicts[1].pose);
}

TEST_F(TwoMaps, GiveAPoseWithLengthByTheirOdometry) {
  const FramePair pair{FrameId{1}, FrameId{0}, false};
  const PairVerdict metric = verify_pairs(now, before, {&pair, 1}, options).front();
  ASSERT_TRUE(metric.pose);
  options.closure_pose.from_odometry = false;
  const PairVerdict direction = verify_pairs(now, before, {&pair, 1}, options).front();
  ASSERT_TRUE(direction.pose);
  EXPECT_FALSE(direction.pose->metric);
  ASSERT_TRUE(metric.pose->metric);
  const auto& frames = world->info().frames;
  EXPECT_LT(
      distance(metric.pose->match_from_query, relative_pose(*frames[0].pose, *frames[2].pose)),
      0.3);
}

TEST_F(TwoMaps, AFrameThatIsNotStoredIsNamed) {
  const FramePair pair{FrameId{7}, FrameId{0}, false};
  EXPECT_THROW(verify_pairs(now, before, {&pair, 1}, options), Error);
  EXPECT_TRUE(verify_pairs(now, before, {}, options).empty());
}

}  // namespace
}  // namespace looptree
