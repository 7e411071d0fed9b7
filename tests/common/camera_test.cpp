// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/camera.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;

const Calibration kBrown{458.654,
                         457.296,
                         367.215,
                         248.375,
                         LensModel::brown_conrady,
                         {-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05}};
const Calibration kRational{
    600, 610, 320, 240, LensModel::brown_conrady, {8.1, 3.2, -0.001, 0.002, 0.15, 8.4, 5.1, 0.7}};
const Calibration kFisheye{
    380.81, 380.81, 510.3, 514.3, LensModel::fisheye, {0.0101, -0.0103, 0.0048, -0.0014}};

TEST(Camera, UndistortsWhatItDistorts) {
  for (const Calibration& camera : {kBrown, kRational, kFisheye}) {
    for (double x = 0; x <= 2 * camera.cx; x += camera.cx / 7) {
      for (double y = 0; y <= 2 * camera.cy; y += camera.cy / 7) {
        // Beyond 75 degrees off its axis a fisheye shows what no pinhole does.
        const double off = std::hypot(x - camera.cx, y - camera.cy) / camera.fx;
        if (camera.lens == LensModel::fisheye && off > 1.3) continue;
        const auto straight = undistort(camera, {x, y});
        const auto back = distort(camera, straight);
        EXPECT_NEAR(back[0], x, 1e-6) << x << " " << y;
        EXPECT_NEAR(back[1], y, 1e-6) << x << " " << y;
      }
    }
    const auto centre = undistort(camera, {camera.cx, camera.cy});
    EXPECT_NEAR(centre[0], camera.cx, 1e-9);
    EXPECT_GT(std::abs(undistort(camera, {10, 10})[0] - 10), 0.01) << "it does something";
  }
  const Calibration pinhole{500, 500, 320, 240};
  EXPECT_EQ(undistort(pinhole, {3.25, 4.5}), (std::array<double, 2>{3.25, 4.5}));
}

TEST(Camera, SurvivesLensesThatCannotBe) {
  for (const double wild : {-1e3, -1.0, 1e3, 1e12}) {
    for (const LensModel lens : {LensModel::brown_conrady, LensModel::fisheye}) {
      const Calibration camera{500, 500, 320, 240, lens, {wild, -wild, wild, wild}};
      for (const double x : {-1e6, 0.0, 320.0, 640.0, 1e6}) {
        const auto [u, v] = undistort(camera, {x, 100});
        EXPECT_TRUE(std::isfinite(u) && std::isfinite(v)) << wild << " " << x;
      }
    }
  }
}

TEST(Camera, RefusesZerosAndNaN) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW(check(kBrown));
  expect_error(ErrorKind::invalid_argument, "found 0", [] { check({0, 500, 320, 240}); });
  expect_error(ErrorKind::invalid_argument, "found -500", [] { check({500, -500, 320, 240}); });
  expect_error(ErrorKind::invalid_argument, "found nan", [] { check({500, nan, 320, 240}); });
  expect_error(ErrorKind::invalid_argument, "centre", [] { check({500, 500, nan, 240}); });
  expect_error(ErrorKind::invalid_argument, "coefficients", [] {
    check({500, 500, 320, 240, LensModel::fisheye, {nan}});
  });
  EXPECT_EQ(parse_lens_model("fisheye"), LensModel::fisheye);
  expect_error(ErrorKind::invalid_argument, "found 'fish'", [] { parse_lens_model("fish"); });
}

}  // namespace
}  // namespace looptree
