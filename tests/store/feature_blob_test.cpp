// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/feature_blob.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/features/image.hpp"
#include "looptree/features/level_position.hpp"
#include "looptree/features/orb.hpp"
#include "looptree/features/stored_features.hpp"
#include "looptree/store/detail/half.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

constexpr FrameId kFrame{5};

Features random_features(std::size_t count, int width, int height, DescriptorType type) {
  Random random(count + 1);
  Features features;
  features.width = width;
  features.height = height;
  const bool binary = type == DescriptorType::binary;
  features.descriptors = {type, binary ? 32u : 7u, {}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    features.keypoints.push_back(
        {static_cast<float>(random.uniform() * width - 0.5),
         static_cast<float>(random.uniform() * height - 0.5), static_cast<float>(random.below(60)),
         static_cast<float>(random.below(360)), static_cast<float>(random.uniform()),
         static_cast<int>(random.below(8))});
    for (std::size_t k = 0; k < features.descriptors.width; ++k) {
      if (binary) {
        features.descriptors.bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
      } else {
        features.descriptors.floats.push_back(static_cast<float>(random.uniform()));
      }
    }
    features.inverse_depths.push_back(static_cast<float>(random.uniform()));
  }
  return features;
}

Features there_and_back(const Features& features, bool with_details = false) {
  return decode_features(encode_features(features, kFrame, with_details), kFrame);
}

TEST(FeatureBlob, PositionsComeBackToAFractionOfAPixelAndDescriptorsToTheBit) {
  for (const auto type : {DescriptorType::binary, DescriptorType::real}) {
    for (const int width : {1, 255, 640, 1241, 4096, 65535}) {
      const Features sent = random_features(200, width, 370, type);
      const Features back = there_and_back(sent);
      const double step =
          std::max(1.0 / 256, std::exp2(std::ceil(std::log2(std::max(width, 370) / 65535.0))));
      ASSERT_EQ(back.size(), sent.size());
      for (std::size_t i = 0; i < sent.size(); ++i) {
        EXPECT_NEAR(back.keypoints[i].x, sent.keypoints[i].x, step * 0.51) << width;
        EXPECT_NEAR(back.keypoints[i].y, sent.keypoints[i].y, step * 0.51) << width;
        EXPECT_NEAR(back.inverse_depths[i], sent.inverse_depths[i],
                    sent.inverse_depths[i] * 0x1p-11 + 0x1p-25);
        EXPECT_EQ(back.keypoints[i].size, Keypoint().size);
        EXPECT_EQ(back.keypoints[i].octave, 0);
      }
      EXPECT_EQ(back.descriptors.bytes, sent.descriptors.bytes);
      EXPECT_EQ(back.descriptors.floats, sent.descriptors.floats);
      EXPECT_EQ(back.width, width);
      EXPECT_EQ(back.height, 370);
    }
  }
}

TEST(FeatureBlob, WhatWasReadOnceIsReadAgainToTheBit) {
  const Features once = there_and_back(random_features(100, 1241, 376, DescriptorType::binary));
  const Features twice = there_and_back(once);
  EXPECT_EQ(twice.keypoints, once.keypoints);
  EXPECT_EQ(twice.inverse_depths, once.inverse_depths);
}

TEST(FeatureBlob, DetailsAreKeptWhereAskedFor) {
  Features sent = random_features(50, 640, 480, DescriptorType::binary);
  for (Keypoint& point : sent.keypoints) {
    point.x = std::round(point.x);
    point.y = std::round(point.y);
  }
  EXPECT_EQ(there_and_back(sent, true).keypoints, sent.keypoints);
}

TEST(FeatureBlob, AFeatureOfOrbTakes36Bytes) {
  Features sent = random_features(300, 1241, 376, DescriptorType::binary);
  sent.inverse_depths.clear();
  EXPECT_LE(encode_features(sent, kFrame).size(), 300u * 36 + 32);
  EXPECT_TRUE(there_and_back(sent).inverse_depths.empty());
  sent = random_features(300, 1241, 376, DescriptorType::binary);
  EXPECT_LE(encode_features(sent, kFrame).size(), 300u * 38 + 32);
}

/// Positions as ORB finds them.
Features features_on_levels(std::size_t count) {
  Features features = random_features(count, 1241, 376, DescriptorType::binary);
  Random random(count);
  for (Keypoint& point : features.keypoints) {
    point = {};
    const float scale = static_cast<float>(std::pow(double{1.2F}, double(random.below(8))));
    point.x = static_cast<float>(random.below(340)) * scale;
    point.y = static_cast<float>(random.below(100)) * scale;
  }
  return features;
}

TEST(FeatureBlob, PositionsOnLevelsOfAPyramidComeBackToTheBitIn4Bytes) {
  Features sent = features_on_levels(450);
  sent.inverse_depths.clear();
  EXPECT_EQ(there_and_back(sent).keypoints, sent.keypoints);
  EXPECT_LE(encode_features(sent, kFrame).size(), 450u * 36 + 24);
  sent.keypoints[449].x += 0.125F;
  const Features back = there_and_back(sent);
  EXPECT_NE(back.keypoints, sent.keypoints) << "one that is on no level, all to 1/32 of a pixel";
  EXPECT_EQ(there_and_back(back).keypoints, back.keypoints);
}

TEST(FeatureBlob, FeaturesOfTheExtractorsAreOnLevels) {
  Image image(640, 480);
  for (int y = 0; y < 480; ++y) {
    for (int x = 0; x < 640; ++x) {
      image.row(y)[x] = static_cast<std::uint8_t>((x / 7 * 31 + y / 5 * 17) % 5 * 50);
    }
  }
  const Features features = OrbExtractor().extract(image);
  ASSERT_GT(features.size(), 500u);
  const Features back = there_and_back(features);
  for (std::size_t i = 0; i < features.size(); ++i) {
    ASSERT_EQ(back.keypoints[i].x, features.keypoints[i].x);
    ASSERT_EQ(back.keypoints[i].y, features.keypoints[i].y);
  }
}

TEST(LevelPosition, OthersAreNone) {
  for (const float x : {-1.0F, -0.0F, 0.5F, 8192.0F, 1e30F, NAN, INFINITY}) {
    const std::vector<Keypoint> points = {{3, 4}, {x, 4}};
    EXPECT_FALSE(level_positions(points)) << x;
  }
  EXPECT_EQ(level_positions(std::vector<Keypoint>{{8191, 4}})->front(), (LevelPosition{8191, 4}));
}

TEST(CompactFeatures, GiveBackPositionsToTheBit) {
  for (const Features& sent :
       {features_on_levels(100), random_features(100, 640, 480, DescriptorType::binary)}) {
    const Features back = CompactFeatures(sent, {}).features();
    ASSERT_EQ(back.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(back.keypoints[i].x, sent.keypoints[i].x);
      EXPECT_EQ(back.keypoints[i].y, sent.keypoints[i].y);
    }
    EXPECT_EQ(back.descriptors.bytes, sent.descriptors.bytes);
    EXPECT_EQ(back.inverse_depths, sent.inverse_depths);
  }
}

TEST(FeatureBlob, FeaturesOutsideTheirImageAreKeptToTheBit) {
  for (const Keypoint outside : {Keypoint{-0.6F, 3}, Keypoint{3, 480}, Keypoint{639.6F, 3},
                                 Keypoint{3.3F, 1e9F, 2, 3, 4, 5}}) {
    Features sent = random_features(20, 640, 480, DescriptorType::binary);
    sent.inverse_depths.clear();
    sent.keypoints[7] = outside;
    EXPECT_EQ(there_and_back(sent).keypoints, sent.keypoints);
  }
  Features sizeless = random_features(20, 640, 480, DescriptorType::binary);
  sizeless.inverse_depths.clear();
  sizeless.width = sizeless.height = 0;
  EXPECT_EQ(there_and_back(sizeless).keypoints, sizeless.keypoints);
}

TEST(FeatureBlob, AnyFlippedBitTruncationOrOtherFrameIsFound) {
  for (const bool with_details : {false, true}) {
    const std::vector<std::uint8_t> blob =
        encode_features(random_features(9, 640, 480, DescriptorType::binary), kFrame, with_details);
    for (std::size_t bit = 0; bit < blob.size() * 8; ++bit) {
      std::vector<std::uint8_t> flipped = blob;
      flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      EXPECT_THROW(decode_features(flipped, kFrame), Error) << "bit " << bit;
    }
    for (std::size_t size = 0; size < blob.size(); ++size) {
      EXPECT_THROW(decode_features(std::span(blob).first(size), kFrame), Error) << size;
    }
    test::expect_error(ErrorKind::corruption, "features of frame 6",
                       [&] { decode_features(blob, FrameId{6}); });
  }
}

TEST(Half, EveryNumberComesBackAndOthersGoToTheNearest) {
  float before = 0;
  for (std::uint16_t half = 0; half < 0x7C00; ++half) {
    const float value = detail::from_half(half);
    ASSERT_EQ(detail::to_half(value), half);
    if (half > 0) {
      ASSERT_GT(value, before);
      const float middle = (value + before) / 2;
      ASSERT_EQ(detail::to_half(std::nextafter(middle, before)), half - 1);
      ASSERT_EQ(detail::to_half(std::nextafter(middle, value)), half);
    }
    before = value;
  }
  EXPECT_EQ(before, detail::kMaxHalf);
  EXPECT_EQ(detail::to_half(1e30F), 0x7BFF);
  EXPECT_TRUE(std::isinf(detail::from_half(0x7C00)));
  EXPECT_TRUE(std::isnan(detail::from_half(0x7C01)));
  EXPECT_EQ(detail::from_half(0xC000), -2.0F);
}

TEST(StoredFeatures, AreTheStrongestWellSpreadAndInTheirOrder) {
  const Features all = random_features(1000, 640, 480, DescriptorType::binary);
  const Features some = choose_features(all, {.max_per_frame = 100});
  ASSERT_EQ(some.size(), 100u);
  std::size_t row = 0;
  std::vector<int> quarters(4);
  for (std::size_t i = 0; i < some.size(); ++i) {
    while (row < all.size() && all.keypoints[row] != some.keypoints[i]) ++row;
    ASSERT_LT(row, all.size()) << "features out of order";
    for (std::size_t byte = 0; byte < 32; ++byte) {
      ASSERT_EQ(some.descriptors.bytes[32 * i + byte], all.descriptors.bytes[32 * row + byte]);
    }
    ASSERT_EQ(some.inverse_depths[i], all.inverse_depths[row]);
    ++quarters[(some.keypoints[i].x > 320 ? 1 : 0) + (some.keypoints[i].y > 240 ? 2 : 0)];
  }
  for (const int quarter : quarters) EXPECT_NEAR(quarter, 25, 5);
  EXPECT_EQ(choose_features(all, {}).size(), StoredFeatures{}.max_per_frame);
  EXPECT_EQ(choose_features(all, {.max_per_frame = 1000}).size(), all.size());
  EXPECT_TRUE(choose_features(all, {.max_per_frame = 0}).empty());
}

TEST(StoredFeatures, AreChecked) {
  Features features = random_features(3, 64, 64, DescriptorType::binary);
  features.inverse_depths.pop_back();
  test::expect_error(ErrorKind::invalid_argument, "one for each of the 3 keypoints, found 2",
                     [&] { choose_features(features, {}); });
  features.inverse_depths.push_back(-1);
  test::expect_error(ErrorKind::invalid_argument, "inverse depths of at least 0",
                     [&] { encode_features(features, kFrame); });
}

}  // namespace
}  // namespace looptree
