// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/extractor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "looptree/features/balance.hpp"

#include "tests/features/patchwork.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::patchwork;

class Extractor : public testing::TestWithParam<FeatureKind> {};

TEST_P(Extractor, GivesWellFormedFeaturesAndTheSameAgain) {
  const auto extractor = make_extractor({.kind = GetParam(), .max_features = 400});
  const Image image = patchwork(480, 320, 480, 1);
  const Features features = extractor->extract(image);
  EXPECT_NO_THROW(check(features));
  EXPECT_GT(features.size(), 100);
  EXPECT_LE(features.size(), 400);
  EXPECT_EQ(features.width, 480);
  EXPECT_EQ(features.height, 320);
  EXPECT_EQ(features.descriptors.type, extractor->descriptor_type());
  EXPECT_EQ(features.descriptors.width, extractor->descriptor_width());
  const Features again = extractor->extract(image);
  EXPECT_EQ(features.keypoints, again.keypoints);
  EXPECT_EQ(features.descriptors.bytes, again.descriptors.bytes);
  EXPECT_EQ(features.descriptors.floats, again.descriptors.floats);
}

TEST_P(Extractor, FindsNothingInAFlatImage) {
  const Features features = make_extractor({.kind = GetParam()})->extract(Image(320, 240));
  EXPECT_TRUE(features.empty());
  EXPECT_NO_THROW(check(features));
}

TEST_P(Extractor, TakesImagesTooSmallForAPatch) {
  const auto extractor = make_extractor({.kind = GetParam()});
  for (const int side : {1, 2, 7, 20, 33, 63, 64, 65}) {
    EXPECT_NO_THROW(check(extractor->extract(patchwork(side, side, side, 2)))) << side;
  }
}

TEST_P(Extractor, RefusesAnEmptyImage) {
  test::expect_error(ErrorKind::invalid_argument, "found an empty one",
                     [] { make_extractor({.kind = GetParam()})->extract(Image()); });
}

INSTANTIATE_TEST_SUITE_P(Kinds, Extractor,
                         testing::Values(FeatureKind::orb, FeatureKind::cv_orb, FeatureKind::brief,
                                         FeatureKind::akaze, FeatureKind::sift,
                                         FeatureKind::learned),
                         [](const auto& test) {
                           std::string name(to_string(test.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ExtractorOptions, AreChecked) {
  test::expect_error(ErrorKind::invalid_argument, "max_features",
                     [] { make_extractor({.max_features = 0}); });
  test::expect_error(ErrorKind::invalid_argument, "fast_threshold",
                     [] { make_extractor({.fast_threshold = 0}); });
  test::expect_error(ErrorKind::invalid_argument, "found 'surf'",
                     [] { parse_feature_kind("surf"); });
  EXPECT_EQ(parse_feature_kind("akaze"), FeatureKind::akaze);
}

TEST(BriefExtractor, DescriptorsFollowTheImageWhenItMoves) {
  const auto extractor = make_extractor({.kind = FeatureKind::brief, .max_features = 2000});
  const Image image = patchwork(400, 300, 400, 3);
  Image moved(400, 300);
  for (int y = 0; y < 300; ++y) std::copy_n(image.row(y) + 10, 390, moved.row(y));
  const Features a = extractor->extract(image);
  const Features b = extractor->extract(moved);
  std::size_t same = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (a.keypoints[i].x == b.keypoints[j].x + 10 && a.keypoints[i].y == b.keypoints[j].y) {
        const auto left = a.descriptors.view().bytes(i);
        const auto right = b.descriptors.view().bytes(j);
        same += std::equal(left.begin(), left.end(), right.begin()) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(same, 100);
}

TEST(BalancedSubset, OneBusyCornerDoesNotTakeAll) {
  // 900 strong keypoints in one corner, 100 weak ones elsewhere.
  std::mt19937 random(4);
  std::vector<Keypoint> points;
  for (int i = 0; i < 900; ++i) {
    points.push_back({static_cast<float>(random() % 60), static_cast<float>(random() % 60), 7, -1,
                      100 + static_cast<float>(i)});
  }
  for (int i = 0; i < 100; ++i) {
    points.push_back(
        {static_cast<float>(100 + random() % 500), static_cast<float>(random() % 400), 7, -1, 1});
  }
  const auto kept = balanced_subset(points, 600, 400, 200);
  ASSERT_EQ(kept.size(), 200);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  const auto weak = std::count_if(kept.begin(), kept.end(), [](auto i) { return i >= 900; });
  EXPECT_GT(weak, 80);
}

TEST(BalancedSubset, KeepsAllWhereThereIsRoomAndNoneWhereThereIsNone) {
  const std::vector<Keypoint> points(5);
  EXPECT_EQ(balanced_subset(points, 10, 10, 9).size(), 5);
  EXPECT_EQ(balanced_subset(points, 10, 10, 3).size(), 3);
  EXPECT_TRUE(balanced_subset(points, 10, 10, 0).empty());
  EXPECT_TRUE(balanced_subset({}, 10, 10, 3).empty());
}

TEST(Features, AreChecked) {
  Features features;
  features.keypoints.resize(2);
  features.descriptors.bytes.resize(32);
  test::expect_error(ErrorKind::invalid_argument, "2 rows of 32", [&] { check(features); });
  features.descriptors.bytes.resize(64);
  EXPECT_NO_THROW(check(features));
  features.keypoints[1].x = NAN;
  test::expect_error(ErrorKind::invalid_argument, "finite", [&] { check(features); });
}

}  // namespace
}  // namespace looptree
