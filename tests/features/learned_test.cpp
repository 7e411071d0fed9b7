// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/learned.hpp"

#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/checksum.hpp"
#include "looptree/common/simd.hpp"
#include "looptree/features/detail/learned/learned_geometry.hpp"
#include "looptree/features/detail/learned/learned_stages.hpp"
#include "looptree/features/image.hpp"

#include "tests/features/patchwork.hpp"
#include "tests/features/random_network.hpp"
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

class Learned : public testing::Test {
 protected:
  ~Learned() override { force_simd_level(""); }

  std::filesystem::path network(const std::string& bytes) {
    const auto path = folder_ / ("network" + std::to_string(++networks_));
    test::write_file(path, bytes);
    return path;
  }
  /// Compares with plain_learned() at every SIMD level; returns how many features there are.
  std::size_t expect_plain(const ImageView& image, const LearnedOptions& options,
                           const std::string& what) {
    const Features expected = plain_learned(image, options);
    for (const std::string& level : simd_levels()) {
      force_simd_level(level);
      expect_same(LearnedExtractor(options).extract(image), expected, what + ", " + level);
    }
    return expected.size();
  }

 private:
  test::TemporaryFolder folder_;
  int networks_ = 0;
};

TEST_F(Learned, EqualsPlainWhateverTheSize) {
  const LearnedOptions options{200, network(test::random_network(1))};
  std::uint32_t seed = 0;
  std::size_t features = 0;
  for (const int width : {63, 64, 65, 95, 96, 97, 161, 223, 330}) {
    for (const int height : {64, 101}) {
      const std::string size = std::to_string(width) + "x" + std::to_string(height);
      features += expect_plain(test::patchwork(width, height, width, ++seed), options, size);
      features += expect_plain(test::noise(width, height, 100, seed), options, "noise " + size);
    }
  }
  EXPECT_GT(features, 1000U);
}

TEST_F(Learned, EqualsPlainWhateverTheNetwork) {
  const Image squares = test::patchwork(130, 100, 130, 7);
  const Image noise = test::noise(97, 66, 127, 8);
  std::uint64_t seed = 10;
  for (const auto& widths : {test::kNarrowWidths, test::kOddWidths, test::kShippedWidths}) {
    for (const bool extreme : {false, true}) {
      const std::string bytes = test::random_network(++seed, widths, -20, extreme);
      const LearnedOptions options{300, network(bytes)};
      const std::string what = std::to_string(seed);
      EXPECT_GT(expect_plain(squares, options, "squares " + what), 10U);
      expect_plain(noise, options, "noise " + what);
    }
  }
}

TEST_F(Learned, EqualsPlainWhateverIsKept) {
  const Image squares = test::patchwork(160, 130, 160, 9);
  for (const int threshold : {-32768, -1, 0, 200, 32767}) {
    const auto path = network(test::random_network(3, test::kNarrowWidths, threshold));
    for (const std::size_t count : {1, 7, 60, 100000}) {
      const std::string what = std::to_string(count) + " above " + std::to_string(threshold);
      const std::size_t found = expect_plain(squares, {count, path}, what);
      EXPECT_LE(found, count);
      EXPECT_EQ(found == 0, threshold == 32767) << what;
    }
  }
}

TEST_F(Learned, EqualsPlainOnFlatAndBorderedImages) {
  // Ties everywhere, contrast at both its ends.
  const LearnedOptions options{500, network(test::random_network(4, test::kNarrowWidths, -32768))};
  Image image(150, 110);
  expect_plain(image, options, "black");
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{255});
  expect_plain(image, options, "white");
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) image.row(y)[x] = x / 40 % 2 == 0 ? 0 : 255;
  }
  expect_plain(image, options, "stripes");
}

TEST_F(Learned, EqualsPlainWhereTheImageIsReduced) {
  const LearnedOptions options{300, network(test::random_network(5))};
  for (const auto& [width, height] : {std::pair{801, 640}, {1401, 1203}, {7001, 90}}) {
    const Image image = test::patchwork(width, height, width, static_cast<std::uint32_t>(width));
    force_simd_level("");
    const Features features = LearnedExtractor(options).extract(image);
    expect_same(features, plain_learned(image, options), std::to_string(width));
    EXPECT_EQ(features.width, width);
    float right = 0;
    for (const Keypoint& point : features.keypoints) right = std::max(right, point.x);
    EXPECT_GT(right, static_cast<float>(width) * 0.8F);
    EXPECT_LT(right, static_cast<float>(width));
  }
  EXPECT_TRUE(LearnedExtractor(options).extract(Image(100000, 64)).empty());
}

TEST_F(Learned, ReadsOnlyThePixelsOfAView) {
  const LearnedOptions options{200, network(test::random_network(6))};
  const Image squares = test::patchwork(200, 150, 200, 10);
  const LearnedExtractor learned(options);
  const Features expected = learned.extract(squares);
  const std::size_t stride = 237;
  std::vector<std::uint8_t> buffer(stride * 149 + 200, 77);
  for (int y = 0; y < 150; ++y) {
    std::copy_n(squares.row(y), 200, buffer.data() + static_cast<std::size_t>(y) * stride);
  }
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    expect_same(learned.extract({buffer.data(), 200, 150, stride}), expected, level);
  }
}

TEST_F(Learned, RefusesWhatItCannotDo) {
  const auto path = network(test::random_network(7));
  const LearnedExtractor learned({100, path});
  EXPECT_EQ(learned.network_name(), "random");
  EXPECT_EQ(learned.descriptor_width(), 32U);
  EXPECT_TRUE(learned.extract(test::noise(63, 400, 100, 1)).empty());
  const Image image(100, 100);
  test::expect_error(ErrorKind::invalid_argument, "empty", [&] { learned.extract(ImageView()); });
  test::expect_error(ErrorKind::invalid_argument, "closer", [&] {
    learned.extract({image.pixels.data(), 100, 100, 99});
  });
  test::expect_error(ErrorKind::invalid_argument, "max_features", [&] {
    LearnedExtractor({0, path});
  });
  test::expect_error(ErrorKind::not_found, "nowhere", [] { LearnedExtractor({1, "nowhere"}); });
}

TEST_F(Learned, ServesSeveralThreadsAndSizesAtOnce) {
  const LearnedExtractor learned({300, network(test::random_network(8))});
  const Image wide = test::patchwork(300, 120, 300, 11);
  const Image high = test::patchwork(120, 300, 120, 12);
  const Features of_wide = learned.extract(wide);
  const Features of_high = learned.extract(high);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 6; ++i) {
        const bool is_wide = (t + i) % 2 == 0;
        expect_same(learned.extract(is_wide ? wide : high), is_wide ? of_wide : of_high, "thread");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Learned, HoldsLittleMemory) {
  const std::string bytes = test::random_network(9, test::kShippedWidths);
  const detail::PackedNetwork net(detail::parse_network(std::as_bytes(std::span(bytes))));
  detail::LearnedStages stages;
  stages.extract(test::patchwork(640, 768, 640, 1), net, 1000);
  EXPECT_LT(stages.memory(), std::size_t{10} << 20U);
}

TEST_F(Learned, HasWeightsInTheBox) {
  const Image image = test::patchwork(200, 150, 200, 14);
  const LearnedExtractor learned;
  EXPECT_FALSE(learned.network_name().empty());
  const Features features = learned.extract(image);
  EXPECT_GT(features.size(), 20U);
  expect_same(features, plain_learned(image), "box");
}

/// Machines of all kinds run this test, and must find these very features.
TEST_F(Learned, IsTheSameOnEveryMachine) {
  const LearnedExtractor learned({1000, network(test::random_network(13, test::kShippedWidths))});
  const Features features = learned.extract(test::noise(320, 240, 90, 13));
  EXPECT_EQ(features.size(), 1000U);
  EXPECT_EQ(checksum(std::as_bytes(std::span(features.descriptors.bytes))), 17763345321110759240U);
  EXPECT_EQ(checksum(std::as_bytes(std::span(features.keypoints))), 14945550362096336892U);
}

TEST(LearnedGeometry, MakesLargeImagesSmaller) {
  using detail::learned_geometry;
  EXPECT_EQ(learned_geometry(640, 480).width, 640);
  EXPECT_EQ(learned_geometry(640, 480).scale_x, 1);
  EXPECT_EQ(learned_geometry(1241, 376).width, 1241);
  EXPECT_EQ(learned_geometry(1241, 376).padded_width, 1248);
  EXPECT_EQ(learned_geometry(63, 480).width, 0);
  for (const auto& [width, height] :
       {std::pair{1920, 1080}, {3840, 2160}, {641, 768}, {2000, 300}, {12000, 9000}, {999, 493}}) {
    const auto g = learned_geometry(width, height);
    EXPECT_LE(g.width * g.height, detail::kLearnedMostPixels * 1.01);
    EXPECT_GT(g.width * g.height, detail::kLearnedMostPixels * 0.97);
    EXPECT_LE(g.halved_width, 2 * g.width);
    EXPECT_LE(g.halved_height, 2 * g.height);
    EXPECT_NEAR(g.scale_x * static_cast<float>(g.width), static_cast<float>(width),
                1 << g.halvings);
    EXPECT_NEAR(g.scale_y / g.scale_x, 1, 0.01);
  }
}

}  // namespace
}  // namespace looptree
