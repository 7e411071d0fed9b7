// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Depth: rendered, read from files, and measured by two cameras.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "looptree/dataset/demo_world.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/open.hpp"
#include "looptree/features/keypoint_depth.hpp"

#include "tests/dataset/image_folder.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::ImageFolder;
namespace fs = std::filesystem;

DemoWorldOptions small_stereo() {
  return {.frames = 12, .width = 320, .height = 200, .baseline_m = 0.5, .depth = true};
}

TEST(Depth, OfTheRenderedGroundIsWhatThePoseSays) {
  const auto world = open_demo_world(small_stereo());
  const Image image = world->image(0);
  const DepthImage depth = world->depth_image(0, image);
  ASSERT_EQ(depth.width, 320);
  ASSERT_EQ(depth.height, 200);
  // The camera is 1.6 m above the ground, and in the lowest row there is nothing else.
  const Calibration& camera = *world->info().calibration;
  EXPECT_NEAR(depth.row(199)[160], 1.6 * camera.fy / (199 - camera.cy), 1e-4);
}

TEST(Depth, OfTwoCamerasAgreesWithTheRenderedOne) {
  const auto world = open_demo_world({.frames = 12, .baseline_m = 0.5, .depth = true});
  const auto extractor = make_extractor({});
  const StereoRig rig{world->info().calibration->fx, *world->info().baseline_m};
  std::vector<double> errors_px;
  std::size_t keypoints = 0;
  std::size_t wrong = 0;
  for (const std::size_t frame : {0, 5, 9}) {
    const Image image = world->image(frame);
    const Features features = extractor->extract(image);
    const auto stereo = inverse_depths_from_stereo(image, world->right_image(frame, image),
                                                   features.keypoints, rig);
    const auto exact =
        inverse_depths_from_image(world->depth_image(frame, image), features.keypoints);
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (exact[i] == 0) continue;
      ++keypoints;
      if (stereo[i] == 0) continue;
      const double error = std::abs(stereo[i] - exact[i]) * rig.fx * rig.baseline_m;
      errors_px.push_back(error);
      wrong += error > 1 ? 1 : 0;
    }
  }
  ASSERT_GT(keypoints, 1000U);
  EXPECT_GT(static_cast<double>(errors_px.size()), 0.5 * static_cast<double>(keypoints));
  EXPECT_LT(static_cast<double>(wrong), 0.05 * static_cast<double>(errors_px.size()));
  std::sort(errors_px.begin(), errors_px.end());
  EXPECT_LT(errors_px[errors_px.size() / 2], 0.15);
}

TEST(Depth, OfADepthImageIsUnknownAtEdgesAndOutside) {
  DepthImage depth(4, 3);
  std::fill(depth.metres.begin(), depth.metres.end(), 2.0F);
  for (int y = 0; y < 3; ++y) depth.row(y)[3] = 4;
  const std::vector<Keypoint> points{{.x = 0.5F, .y = 0.5F},
                                     {.x = 2.5F, .y = 1},
                                     {.x = -1, .y = 0},
                                     {.x = 3.5F, .y = 0},
                                     {.x = 1, .y = 2}};
  const std::vector<float> inverse = inverse_depths_from_image(depth, points);
  EXPECT_EQ(inverse, (std::vector<float>{0.5F, 0, 0, 0, 0.5F}));
  EXPECT_EQ(inverse_depths_from_image({}, points), std::vector<float>(5, 0.0F));
}

TEST(Depth, OfPointsIsUnknownBehindTheCamera) {
  const std::vector<std::array<float, 3>> points{{1, 2, 4}, {0, 0, -1}, {0, 0, 0}};
  EXPECT_EQ(inverse_depths_from_points(points), (std::vector<float>{0.25F, 0, 0}));
}

TEST(Depth, StereoSaysWhatItExpected) {
  const Image image(32, 32);
  const std::vector<Keypoint> none;
  test::expect_error(ErrorKind::invalid_argument, "one size", [&] {
    inverse_depths_from_stereo(image, Image(31, 32), none, {400, 0.5});
  });
  test::expect_error(ErrorKind::invalid_argument, "baseline_m above 0", [&] {
    inverse_depths_from_stereo(image, image, none, {400, 0});
  });
  test::expect_error(ErrorKind::invalid_argument, "in their ranges", [&] {
    inverse_depths_from_stereo(image, image, none, {400, 0.5}, {.min_depth_m = 0});
  });
}

TEST(Depth, KittiFolderHasTheSecondCamera) {
  const ImageFolder folder;
  const auto world = open_demo_world({.frames = 3, .width = 96, .height = 64, .baseline_m = 0.5});
  export_kitti(*world, folder.path());
  const auto read = open_sequence(folder.path());
  ASSERT_TRUE(read->has_right());
  EXPECT_NEAR(*read->info().baseline_m, 0.5, 1e-6);
  const Image left = read->image(2);
  EXPECT_EQ(read->right_image(2, left).pixels, world->right_image(2, left).pixels);
  EXPECT_NE(read->right_image(2, left).pixels, left.pixels);
  EXPECT_EQ(best_depth(*read), DepthFrom::stereo);
  EXPECT_FALSE(open_sequence(folder.path(), {.camera = CameraSide::right})->has_right());
  fs::remove(folder.path() / "image_1" / "000002.png");
  test::expect_error(ErrorKind::corruption, "as many images in image_1",
                     [&] { open_sequence(folder.path()); });
}

/// A TUM folder of two images, the second of which has depth.
void write_tum_folder(const fs::path& folder, const cv::Mat& depth) {
  fs::create_directories(folder / "rgb");
  fs::create_directories(folder / "depth");
  for (const char* name : {"1.png", "2.png"}) {
    write_image((folder / "rgb" / name).string(), Image(8, 6));
  }
  std::ofstream(folder / "rgb.txt") << "10.0 rgb/1.png\n10.1 rgb/2.png\n";
  cv::imwrite((folder / "depth" / "2.png").string(), depth);
  std::ofstream(folder / "depth.txt") << "# depth\n10.11 depth/2.png\n";
}

TEST(Depth, TumFolderHasDepthImages) {
  const ImageFolder folder;
  cv::Mat depth(6, 8, CV_16U, cv::Scalar(10000));
  depth.at<std::uint16_t>(0, 0) = 0;
  write_tum_folder(folder.path(), depth);
  const auto read = open_sequence(folder.path());
  ASSERT_TRUE(read->has_depth());
  EXPECT_EQ(best_depth(*read), DepthFrom::images);
  const Image image = read->image(0);
  EXPECT_TRUE(read->depth_image(0, image).empty());
  const DepthImage second = read->depth_image(1, image);
  EXPECT_EQ(second.row(0)[0], 0);
  EXPECT_EQ(second.row(5)[7], 2);
}

TEST(Depth, DamagedDepthImagesAreSaidToBe) {
  const ImageFolder folder;
  write_tum_folder(folder.path(), cv::Mat(6, 7, CV_16U, cv::Scalar(1)));
  const auto read = open_sequence(folder.path());
  test::expect_error(ErrorKind::corruption, "to be 8x6 like the image, found 7x6",
                     [&] { read->depth_image(1, Image(8, 6)); });
  const fs::path file = folder.path() / "depth" / "2.png";
  cv::imwrite(file.string(), cv::Mat(6, 8, CV_8U, cv::Scalar(1)));
  test::expect_error(ErrorKind::corruption, "16 bits", [&] { read->depth_image(1, Image(8, 6)); });
  cv::imwrite(file.string(), cv::Mat(6, 8, CV_16U, cv::Scalar(1)));
  std::ifstream whole(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  for (std::size_t length = 0; length + 1 < bytes.size(); length += 7) {
    std::ofstream(file, std::ios::binary | std::ios::trunc).write(bytes.data(), length);
    test::expect_error(ErrorKind::corruption, "whole image",
                       [&] { read->depth_image(1, Image(8, 6)); });
  }
  fs::remove(file);
  test::expect_error(ErrorKind::not_found, "found no file",
                     [&] { read->depth_image(1, Image(8, 6)); });
}

TEST(Depth, FeatureStreamFillsItIn) {
  const auto world = open_demo_world(small_stereo());
  const auto extractor = make_extractor({});
  for (const DepthFrom from : {DepthFrom::images, DepthFrom::stereo}) {
    FeatureStream stream(*world, *extractor, 2, 6, from);
    while (const auto frame = stream.next()) {
      ASSERT_FALSE(frame->error);
      ASSERT_EQ(frame->features.inverse_depths.size(), frame->features.size());
      EXPECT_GT(std::count_if(frame->features.inverse_depths.begin(),
                              frame->features.inverse_depths.end(), [](float d) { return d > 0; }),
                50);
    }
  }
  const auto mono = open_demo_world({.frames = 2, .width = 96, .height = 64});
  test::expect_error(ErrorKind::invalid_argument, "depth images, found none",
                     [&] { FeatureStream(*mono, *extractor, 1, 1, DepthFrom::images); });
  test::expect_error(ErrorKind::invalid_argument, "second camera, found none",
                     [&] { FeatureStream(*mono, *extractor, 1, 1, DepthFrom::stereo); });
}

}  // namespace
}  // namespace looptree
