// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/orb.hpp"

#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/checksum.hpp"
#include "looptree/common/simd.hpp"
#include "looptree/features/detail/orb/orb_angle.hpp"
#include "looptree/features/image.hpp"

#include "tests/features/patchwork.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

void expect_same(const Features& found, const Features& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  EXPECT_EQ(found.keypoints, expected.keypoints) << what;
  EXPECT_EQ(found.descriptors.bytes, expected.descriptors.bytes) << what;
  EXPECT_EQ(found.width, expected.width);
  EXPECT_EQ(found.height, expected.height);
  EXPECT_NO_THROW(check(found)) << what;
}

/// Compares with plain_orb() at every SIMD level.
void expect_plain(const ImageView& image, const OrbOptions& options, const std::string& what) {
  const Features expected = plain_orb(image, options);
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    const OrbExtractor orb(options);
    expect_same(orb.extract(image), expected, what + ", " + level);
  }
  force_simd_level("");
}

TEST(Orb, EqualsPlainOrbWhateverTheSize) {
  std::uint32_t seed = 0;
  for (const int width : {63, 64, 65, 77, 95, 127, 159, 160, 161, 223, 331}) {
    for (const int height : {64, 101}) {
      const std::string size = std::to_string(width) + "x" + std::to_string(height);
      const OrbOptions options{.max_features = 200};
      expect_plain(test::patchwork(width, height, width, ++seed), options, "squares " + size);
      expect_plain(test::noise(width, height, 100, seed), options, "noise " + size);
    }
  }
}

TEST(Orb, EqualsPlainOrbWhateverTheOptions) {
  const Image squares = test::patchwork(150, 120, 150, 7);
  const Image noise = test::noise(150, 120, 127, 8);
  for (const std::size_t count : {1, 7, 50, 1500, 100000}) {
    for (const int threshold : {1, 12, 60, 254, 255}) {
      const std::string what = std::to_string(count) + " at " + std::to_string(threshold);
      expect_plain(squares, {count, threshold}, "squares " + what);
      expect_plain(noise, {count, threshold}, "noise " + what);
    }
  }
}

TEST(Orb, EqualsPlainOrbWhereTextureIsConcentrated) {
  expect_plain(test::patchwork(400, 200, 60, 9), {.max_features = 900}, "left part");
  // Ties: all corners score the same.
  Image tiles(300, 200);
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 300; ++x) tiles.row(y)[x] = (x / 9 + y / 9) % 2 == 0 ? 50 : 90;
  }
  expect_plain(tiles, {.max_features = 100}, "tiles");
  Image dots(300, 200);
  for (int y = 5; y < 200; y += 10) {
    for (int x = 5; x < 300; x += 10) dots.row(y)[x] = 255;
  }
  expect_plain(dots, {.max_features = 60}, "dots");
}

TEST(Orb, ReadsOnlyThePixelsOfAView) {
  const Image squares = test::patchwork(200, 150, 200, 10);
  const Features expected = OrbExtractor().extract(squares);
  // The same pixels inside a larger buffer, which ends right behind the last of them.
  const std::size_t stride = 237;
  std::vector<std::uint8_t> buffer(stride * 149 + 200, 77);
  for (int y = 0; y < 150; ++y) {
    std::copy_n(squares.row(y), 200, buffer.data() + static_cast<std::size_t>(y) * stride);
  }
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    expect_same(OrbExtractor().extract({buffer.data(), 200, 150, stride}), expected, level);
  }
  force_simd_level("");
}

TEST(Orb, FindsNothingWhereThereIsNothing) {
  EXPECT_TRUE(OrbExtractor().extract(Image(320, 240)).empty());
  EXPECT_TRUE(OrbExtractor().extract(test::noise(63, 400, 100, 1)).empty());
  EXPECT_TRUE(OrbExtractor().extract(test::noise(1, 1, 100, 1)).empty());
  const OrbExtractor orb;
  test::expect_error(ErrorKind::invalid_argument, "empty", [&] { orb.extract(ImageView()); });
  const Image image(100, 100);
  test::expect_error(ErrorKind::invalid_argument, "closer", [&] {
    orb.extract({image.pixels.data(), 100, 100, 99});
  });
  test::expect_error(ErrorKind::invalid_argument, "max_features", [] { OrbExtractor({0, 12}); });
  test::expect_error(ErrorKind::invalid_argument, "fast_threshold", [] { plain_orb({}, {5, 0}); });
}

TEST(Orb, ServesSeveralThreadsAndSizesAtOnce) {
  const OrbExtractor orb({.max_features = 300});
  const Image wide = test::patchwork(300, 120, 300, 11);
  const Image high = test::patchwork(120, 300, 120, 12);
  const Features of_wide = orb.extract(wide);
  const Features of_high = orb.extract(high);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 6; ++i) {
        const bool is_wide = (t + i) % 2 == 0;
        expect_same(orb.extract(is_wide ? wide : high), is_wide ? of_wide : of_high, "thread");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Machines of all kinds run this test, and must find these very features.
TEST(Orb, IsTheSameOnEveryMachine) {
  const Features features = OrbExtractor().extract(test::noise(320, 240, 90, 13));
  EXPECT_EQ(features.size(), 1291U);
  EXPECT_EQ(checksum(std::as_bytes(std::span(features.descriptors.bytes))), 4019345108895719490U);
  EXPECT_EQ(checksum(std::as_bytes(std::span(features.keypoints))), 11496845177026869631U);
}

TEST(OrbAngle, CosinesAndSinesAreRoundedRight) {
  for (int i = 0; i < 3'600'000; ++i) {
    const float degrees = static_cast<float>(i) * 1e-4F;
    const double radians = degrees * static_cast<float>(std::numbers::pi / 180.0F);
    const auto [cosine, sine] = detail::rotation_of(degrees);
    ASSERT_EQ(cosine, static_cast<float>(std::cos(radians))) << degrees;
    ASSERT_EQ(sine, static_cast<float>(std::sin(radians))) << degrees;
  }
}

TEST(OrbAngle, IsNearTheTrueOne) {
  for (int y = -300; y <= 300; y += 3) {
    for (int x = -300; x <= 300; x += 7) {
      if (x == 0 && y == 0) continue;
      double truth = std::atan2(y, x) * 180 / std::numbers::pi;
      if (truth < 0) truth += 360;
      EXPECT_NEAR(detail::centroid_angle(y, x), truth, 0.02);
    }
  }
  EXPECT_EQ(detail::centroid_angle(0, 0), 0);
  EXPECT_EQ(detail::centroid_angle(-1, 100'000'000), 0);
}

}  // namespace
}  // namespace looptree
