// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Our ORB beside OpenCV's: the same levels, the same corners, the same descriptors.
#include "looptree/features/opencv/cv_orb.hpp"

#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include "looptree/dataset/open.hpp"
#include "looptree/features/detail/orb_levels.hpp"
#include "looptree/features/detail/shrink.hpp"
#include "looptree/features/image.hpp"
#include "looptree/features/opencv/cv_mat.hpp"
#include "looptree/features/orb.hpp"

#include "tests/features/patchwork.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

cv::Mat as_mat(const Image& image) {
  return {image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data())};
}

TEST(CvMat, IsLookedAtInPlaceAndInParts) {
  cv::Mat grey(40, 60, CV_8UC1, cv::Scalar(7));
  grey.at<std::uint8_t>(5, 9) = 200;
  const ImageView part = image_view(grey(cv::Rect(8, 4, 20, 10)));
  EXPECT_EQ(part.row(1) + 1, grey.ptr<std::uint8_t>(5) + 9);
  EXPECT_EQ(part.row(1)[1], 200);
  EXPECT_EQ(part.width, 20);
  test::expect_error(ErrorKind::invalid_argument, "found CV_8UC3: cv::cvtColor",
                     [] { image_view(cv::Mat(4, 4, CV_8UC3)); });
}

/// The levels of our pyramid.
std::vector<cv::Mat> our_levels(const Image& image) {
  std::vector<cv::Mat> levels{as_mat(image).clone()};
  const auto sizes = detail::orb_levels(image.width, image.height);
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const cv::Mat& from = levels.back();
    const auto& size = sizes[i];
    cv::Mat wide(size.height, size.width + 128, CV_8U);
    detail::Shrink shrink(from.cols, from.rows, size.width, size.height);
    shrink({from.data, from.cols, from.rows, from.step}, wide.data, wide.step);
    levels.push_back(wide.colRange(0, size.width).clone());
  }
  return levels;
}

void expect_levels_of_opencv(const Image& image) {
  const auto ours = our_levels(image);
  for (std::size_t i = 1; i < ours.size(); ++i) {
    cv::Mat expected;
    cv::resize(ours[i - 1], expected, ours[i].size(), 0, 0, cv::INTER_LINEAR_EXACT);
    EXPECT_EQ(cv::norm(ours[i], expected, cv::NORM_INF), 0) << "level " << i;
  }
}

/// Harris' score from OpenCV's derivatives, in floats and in the scale of cv::ORB.
double harris_of_opencv(const cv::Mat& level, int x, int y) {
  cv::Mat dx;
  cv::Mat dy;
  const cv::Mat around = level(cv::Rect(x - 6, y - 6, 13, 13)).clone();
  cv::Sobel(around, dx, CV_32F, 1, 0);
  cv::Sobel(around, dy, CV_32F, 0, 1);
  const cv::Rect block(3, 3, 7, 7);
  const double a = dx(block).dot(dx(block));
  const double b = dy(block).dot(dy(block));
  const double c = dx(block).dot(dy(block));
  return (a * b - c * c - 0.04 * (a + b) * (a + b)) / std::pow(4.0 * 7 * 255, 4);
}

/// Every keypoint is where cv::FAST sees a corner, with the score that Harris gives it.
void expect_corners_of_opencv(const Image& image, const Features& features) {
  std::set<std::tuple<int, int, int>> corners;
  const auto levels = our_levels(image);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    std::vector<cv::KeyPoint> found;
    cv::FAST(levels[i], found, 12);
    for (const cv::KeyPoint& p : found) {
      corners.emplace(static_cast<int>(i), cvRound(p.pt.x), cvRound(p.pt.y));
    }
  }
  const auto sizes = detail::orb_levels(image.width, image.height);
  for (const Keypoint& p : features.keypoints) {
    const float scale = sizes[static_cast<std::size_t>(p.octave)].scale;
    const int x = cvRound(p.x / scale);
    const int y = cvRound(p.y / scale);
    ASSERT_TRUE(corners.contains({p.octave, x, y})) << p.octave << ": " << p.x << ", " << p.y;
    const double expected = harris_of_opencv(levels[static_cast<std::size_t>(p.octave)], x, y);
    EXPECT_NEAR(p.response, expected, 1e-5 * std::abs(expected) + 1e-12);
  }
}

/// cv::ORB describes our keypoints as we do.
void expect_descriptors_of_opencv(const Image& image, const Features& features) {
  if (!cv::checkHardwareSupport(CV_CPU_AVX2) && !cv::checkHardwareSupport(CV_CPU_NEON)) {
    GTEST_SKIP() << "not run: without fused multiply-adds OpenCV blurs differently";
  }
  std::vector<cv::KeyPoint> points;
  for (const Keypoint& p : features.keypoints) {
    points.emplace_back(p.x, p.y, p.size, p.angle, p.response, p.octave);
  }
  const auto orb = cv::ORB::create(1500, 1.2F, 8, 31, 0, 2, cv::ORB::HARRIS_SCORE, 31, 12);
  cv::Mat rows;
  orb->compute(as_mat(image), points, rows);
  ASSERT_EQ(points.size(), features.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto ours = features.descriptors.view().bytes(i);
    different += std::equal(ours.begin(), ours.end(), rows.ptr(static_cast<int>(i))) ? 0 : 1;
  }
  EXPECT_EQ(different, 0) << "of " << points.size();
}

/// cv::ORB turns our keypoints as we do, but for the last bits.
void expect_angles_of_opencv(const Image& image, const Features& features) {
  const auto levels = our_levels(image);
  const auto sizes = detail::orb_levels(image.width, image.height);
  for (const Keypoint& p : features.keypoints) {
    const float scale = sizes[static_cast<std::size_t>(p.octave)].scale;
    const cv::Mat& level = levels[static_cast<std::size_t>(p.octave)];
    int mx = 0;
    int my = 0;
    for (int v = -15; v <= 15; ++v) {
      const int d = detail::disk_half_width(v);
      const std::uint8_t* row = level.ptr(cvRound(p.y / scale) + v) + cvRound(p.x / scale);
      for (int u = -d; u <= d; ++u) {
        mx += u * row[u];
        my += v * row[u];
      }
    }
    const float expected = cv::fastAtan2(static_cast<float>(my), static_cast<float>(mx));
    EXPECT_NEAR(std::remainder(p.angle - expected, 360.0F), 0, 1e-4);
  }
}

void expect_orb_of_opencv(const Image& image) {
  const Features features = OrbExtractor().extract(image);
  EXPECT_GT(features.size(), 100U);
  expect_levels_of_opencv(image);
  expect_corners_of_opencv(image, features);
  expect_angles_of_opencv(image, features);
  expect_descriptors_of_opencv(image, features);
}

TEST(CvOrb, AgreesOnMadeUpImages) {
  std::uint32_t seed = 100;
  for (const auto& [width, height] : {std::pair{640, 480}, {333, 217}, {127, 401}, {1241, 376}}) {
    expect_orb_of_opencv(test::patchwork(width, height, width, ++seed));
    expect_orb_of_opencv(test::noise(width, height, 100, ++seed));
  }
}

void expect_orb_of_opencv(const std::string& dataset) {
  LOOPTREE_SKIP_WITHOUT_DATA(dataset);
  const auto sequence = open_sequence((test::data_dir() / dataset).string());
  for (std::size_t i = 0; i < 3; ++i) expect_orb_of_opencv(sequence->image(i));
}

TEST(CvOrb, AgreesOnKitti) {
  expect_orb_of_opencv(std::string("kitti00"));
}

TEST(CvOrb, AgreesOnTheCorridor) {
  expect_orb_of_opencv(std::string("rtabmap_corridor"));
}

TEST(CvOrb, IsMadeByOpenCvToo) {
  const Image image = test::patchwork(480, 320, 480, 1);
  const Features features = make_cv_orb({.max_features = 400})->extract(image);
  EXPECT_NO_THROW(check(features));
  EXPECT_GT(features.size(), 100U);
  EXPECT_LE(features.size(), 400U);
  test::expect_error(ErrorKind::invalid_argument, "max_features", [] { make_cv_orb({0, 12}); });
}

}  // namespace
}  // namespace looptree
