// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/opencv/onnx.hpp"

#include <cmath>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/dataset/open.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/features/image.hpp"
#include "looptree/features/opencv/detail/onnx_input.hpp"

#include "tests/features/onnx_writer.hpp"
#include "tests/features/patchwork.hpp"
#include "tests/features/random_network.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

constexpr int kPixels = 64;
constexpr int kNumbers = 16;

/// Weights of which output i is the pixel i of a cell, times `factor`.
std::vector<float> pixels_of_cell(int outputs, float factor) {
  std::vector<float> weights(static_cast<std::size_t>(outputs) * kPixels);
  for (int i = 0; i < std::min(outputs, kPixels); ++i) {
    weights[static_cast<std::size_t>(i) * kPixels + i] = factor;
  }
  return weights;
}

void add_descriptors(test::OnnxWriter& model, const std::string& name) {
  std::vector<float> weights;
  for (int i = 0; i < kNumbers * kPixels; ++i) weights.push_back(std::sin(static_cast<float>(i)));
  model.cells("image", name, weights, std::vector<float>(kNumbers, 0.1F));
}

/// Bright pixels are keypoints.
test::OnnxWriter maps(int width, int height, bool with_none = true) {
  test::OnnxWriter model;
  model.input("image", {1, 1, height, width});
  add_descriptors(model, "descriptors");
  std::vector<float> bias(with_none ? 65 : 64, -12.0F);
  if (with_none) bias.back() = 4;
  model.cells("image", "logits", pixels_of_cell(static_cast<int>(bias.size()), 24), bias);
  model.output("descriptors");
  model.output("logits");
  return model;
}

/// A cell's first two pixels are its keypoint's place, in parts of 255.
test::OnnxWriter keypoints(float unit) {
  test::OnnxWriter model;
  model.input("image", {1, 1, 64, 96});
  model.cells("image", "places", pixels_of_cell(2, unit), {0, 0});
  add_descriptors(model, "numbers");
  model.cells("image", "sure", pixels_of_cell(1, 0), {0.5F});
  model.reshape("places", "places_in_a_row", {1, 2, 96});
  model.node("Transpose", {"places_in_a_row"}, "keypoints", {{"perm", {0, 2, 1}}});
  model.reshape("numbers", "numbers_in_a_row", {1, kNumbers, 96});
  model.node("Transpose", {"numbers_in_a_row"}, "descriptors", {{"perm", {0, 2, 1}}});
  model.reshape("sure", "scores", {1, 96});
  for (const char* name : {"keypoints", "descriptors", "scores"}) model.output(name);
  return model;
}

Image dots(int width, int height) {
  Image image(width, height);
  for (int y = 11; y < height; y += 17) {
    for (int x = 13; x < width; x += 19) image.row(y)[x] = 255;
  }
  return image;
}

void expect_dots(const Features& features, const Image& image) {
  EXPECT_NO_THROW(check(features));
  std::size_t expected = 0;
  for (int y = 8; y < image.height - 8; ++y) {
    for (int x = 8; x < image.width - 8; ++x) expected += image.row(y)[x] == 255 ? 1 : 0;
  }
  EXPECT_EQ(features.size(), expected);
  for (const Keypoint& point : features.keypoints) {
    EXPECT_EQ(image.row(static_cast<int>(point.y))[static_cast<int>(point.x)], 255);
  }
}

class Onnx : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& bytes) {
    const auto path = folder_ / ("model" + std::to_string(++models_) + ".onnx");
    test::write_file(path, bytes);
    return path;
  }
  void refuse(const std::string& bytes, ErrorKind kind, const std::string& fragment) {
    const auto path = file(bytes);
    test::expect_error(kind, fragment, [&] { make_onnx({path}); });
  }

 private:
  test::TemporaryFolder folder_;
  int models_ = 0;
};

TEST_F(Onnx, TakesMaps) {
  const Image image = dots(192, 128);
  for (const bool with_none : {true, false}) {
    const auto extractor = make_onnx({file(maps(192, 128, with_none).file())});
    EXPECT_EQ(extractor->descriptor_type(), DescriptorType::real);
    EXPECT_EQ(extractor->descriptor_width(), static_cast<std::size_t>(kNumbers));
    const Features features = extractor->extract(image);
    expect_dots(features, image);
    for (std::size_t i = 0; i < features.size(); ++i) {
      double sum = 0;
      for (const float value : features.descriptors.view().floats(i)) sum += value * value;
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST_F(Onnx, TakesMapsOfImagesOfAnySize) {
  const auto extractor = make_onnx({file(maps(0, 0).file())});
  for (const auto& [width, height] : {std::pair{192, 128}, {200, 77}, {64, 64}}) {
    expect_dots(extractor->extract(dots(width, height)), dots(width, height));
  }
}

TEST_F(Onnx, FitsImagesOfAnotherSizeIn) {
  const auto extractor = make_onnx({file(maps(192, 128).file())});
  Image large(576, 256);
  for (int y = 120; y < 123; ++y) {
    for (int x = 300; x < 303; ++x) large.row(y)[x] = 255;
  }
  const Features features = extractor->extract(large);
  ASSERT_EQ(features.size(), 1U);
  EXPECT_EQ(features.width, 576);
  EXPECT_NEAR(features.keypoints[0].x, 301, 0.1);
  EXPECT_NEAR(features.keypoints[0].y, 121, 1.1);
  EXPECT_TRUE(extractor->extract(Image(300, 300)).empty());
}

TEST_F(Onnx, TakesKeypoints) {
  const auto extractor = make_onnx({file(keypoints(255).file())});
  Image image(96, 64);
  for (int cell = 0; cell < 96; ++cell) {
    std::uint8_t* pixel = image.row(cell / 12 * 8) + cell % 12 * 8;
    pixel[0] = static_cast<std::uint8_t>(cell);  // the last of them lie outside
    pixel[1] = static_cast<std::uint8_t>(cell / 3 * 3);
  }
  const Features features = extractor->extract(image);
  EXPECT_NO_THROW(check(features));
  EXPECT_EQ(features.descriptors.width, static_cast<std::size_t>(kNumbers));
  ASSERT_EQ(features.size(), 66U);
  EXPECT_NEAR(features.keypoints[10].x, 10, 0.01);
  EXPECT_NEAR(features.keypoints[10].y, 9, 0.01);
  EXPECT_NEAR(features.keypoints[10].response, 0.5, 1e-6);
  EXPECT_EQ(make_onnx({file(keypoints(255).file()), 20})->extract(image).size(), 20U);
  EXPECT_TRUE(make_onnx({file(keypoints(255).file()), 20, 0.6F})->extract(image).empty());
}

TEST_F(Onnx, RefusesWhatItCannotUse) {
  refuse("no model at all", ErrorKind::corruption, "other bytes");
  refuse("", ErrorKind::corruption, "other bytes");
  test::OnnxWriter model;
  model.input("image", {1, 4, 64, 64});
  refuse(model.file(), ErrorKind::unsupported, "'image' of 1 x 4 x 64 x 64");
  model.input("other", {1});
  refuse(model.file(), ErrorKind::unsupported, "one input, an image, found 2");
  test::OnnxWriter one;
  one.input("image", {1, 1, 64, 96});
  add_descriptors(one, "descriptors");
  one.output("descriptors");
  refuse(one.file(), ErrorKind::unsupported, "outputs of 1x16x8x12");
  test::OnnxWriter strange;
  strange.input("image", {1, 1, 64, 96});
  strange.node("NoSuchLayer", {"image"}, "nothing", {});
  strange.output("nothing");
  refuse(strange.file(), ErrorKind::unsupported, "OpenCV");
  const auto normalised = make_onnx({file(keypoints(1).file())});
  test::expect_error(ErrorKind::unsupported, "in pixels",
                     [&] { normalised->extract(test::noise(96, 64, 100, 1)); });
  test::expect_error(ErrorKind::not_found, "nowhere", [] { make_onnx({"nowhere.onnx"}); });
  test::expect_error(ErrorKind::invalid_argument, "max_features", [] { make_onnx({"x", 0}); });
  test::expect_error(ErrorKind::invalid_argument, "threshold", [] { make_onnx({"x", 1, 1.0F}); });
}

TEST_F(Onnx, SurvivesDamage) {
  const std::string whole = maps(64, 64).file();
  std::string changed = whole;
  for (std::size_t at = 0; at < whole.size(); at += at < 200 ? 1 : 499) {
    const auto read = [](const std::string& bytes) {
      try {
        detail::onnx_input(std::as_bytes(std::span(bytes)));
      } catch (const Error&) {
      }
    };
    read(whole.substr(0, at));
    changed[at] = static_cast<char>(~whole[at]);
    read(changed);
    changed[at] = whole[at];
  }
}

TEST_F(Onnx, IsOneOfTheKinds) {
  ExtractorOptions options;
  set_features(options, file(maps(192, 128).file()).string());
  EXPECT_EQ(options.kind, FeatureKind::onnx);
  expect_dots(make_extractor(options)->extract(dots(192, 128)), dots(192, 128));
  options.kind = FeatureKind::orb;
  test::expect_error(ErrorKind::invalid_argument, "network", [&] { make_extractor(options); });
}

TEST_F(Onnx, ServesSeveralThreads) {
  const auto extractor = make_onnx({file(maps(192, 128).file())});
  const Image image = dots(192, 128);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 4; ++i) expect_dots(extractor->extract(image), image);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Onnx, RunsXFeat) {
  LOOPTREE_SKIP_WITHOUT_DATA("xfeat/xfeat.onnx");
  LOOPTREE_SKIP_WITHOUT_DATA("rtabmap_corridor");
  const auto extractor = make_onnx({test::data_dir() / "xfeat/xfeat.onnx"});
  EXPECT_EQ(extractor->descriptor_width(), 64U);
  const auto sequence = open_sequence((test::data_dir() / "rtabmap_corridor").string());
  const Features features = extractor->extract(sequence->image(0));
  EXPECT_NO_THROW(check(features));
  EXPECT_GT(features.size(), 200U);
}

}  // namespace
}  // namespace looptree
