// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/camera.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

using Point = std::array<double, 2>;

/// The farthest from its axis that a fisheye's pixel is taken to look, 85 degrees.
constexpr double kWidest = 1.4835;

/// Brown and Conrady: rays leave along x y of the plane at distance 1, and come out here. The
/// radial part is a quotient of polynomials; without k4 to k6 its denominator is 1.
Point bend_brown(const std::array<double, 8>& d, const Point& p) {
  const auto [x, y] = p;
  const double r2 = x * x + y * y;
  const double radial =
      (1 + r2 * (d[0] + r2 * (d[1] + r2 * d[4]))) / (1 + r2 * (d[5] + r2 * (d[6] + r2 * d[7])));
  return {x * radial + 2 * d[2] * x * y + d[3] * (r2 + 2 * x * x),
          y * radial + d[2] * (r2 + 2 * y * y) + 2 * d[3] * x * y};
}

/// Newton's method with the derivatives taken from small steps.
Point unbend_brown(const std::array<double, 8>& d, const Point& bent) {
  constexpr double kStep = 1e-6;
  Point p = bent;
  for (int i = 0; i < 50; ++i) {
    const Point at = bend_brown(d, p);
    const double ex = bent[0] - at[0];
    const double ey = bent[1] - at[1];
    if (std::abs(ex) + std::abs(ey) < 1e-13) break;
    const Point dx = bend_brown(d, {p[0] + kStep, p[1]});
    const Point dy = bend_brown(d, {p[0], p[1] + kStep});
    const double a = (dx[0] - at[0]) / kStep;
    const double b = (dy[0] - at[0]) / kStep;
    const double c = (dx[1] - at[1]) / kStep;
    const double e = (dy[1] - at[1]) / kStep;
    const double determinant = a * e - b * c;
    // Where the mapping folds over there is nothing to be found beyond.
    if (!(determinant > 1e-9)) return bent;
    p[0] += (e * ex - b * ey) / determinant;
    p[1] += (a * ey - c * ex) / determinant;
    if (!std::isfinite(p[0]) || !std::isfinite(p[1])) return bent;
  }
  const Point at = bend_brown(d, p);
  const double off = std::abs(at[0] - bent[0]) + std::abs(at[1] - bent[1]);
  return off < 1e-9 ? p : bent;
}

double bend_angle(const std::array<double, 8>& d, double angle) {
  const double a2 = angle * angle;
  return angle * (1 + a2 * (d[0] + a2 * (d[1] + a2 * (d[2] + a2 * d[3]))));
}

Point bend_fisheye(const std::array<double, 8>& d, const Point& p) {
  const double r = std::hypot(p[0], p[1]);
  if (r < 1e-12) return p;
  const double scale = bend_angle(d, std::atan(r)) / r;
  return {p[0] * scale, p[1] * scale};
}

/// The angle is found by halving the interval, which no coefficients can lead astray.
Point unbend_fisheye(const std::array<double, 8>& d, const Point& bent) {
  const double r = std::hypot(bent[0], bent[1]);
  if (r < 1e-12) return bent;
  double low = 0;
  double high = kWidest;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (bend_angle(d, middle) < r ? low : high) = middle;
  }
  const double scale = std::tan(0.5 * (low + high)) / r;
  return {bent[0] * scale, bent[1] * scale};
}

template <typename Change>
Point through_plane(const Calibration& c, const Point& pixel, Change change) {
  const Point plane = change({(pixel[0] - c.cx) / c.fx, (pixel[1] - c.cy) / c.fy});
  return {plane[0] * c.fx + c.cx, plane[1] * c.fy + c.cy};
}

[[noreturn]] void refuse(const char* what, double found) {
  std::ostringstream message;
  message << "expected " << what << ", found " << found;
  throw Error(ErrorKind::invalid_argument, message.str());
}

}  // namespace

void check(const Calibration& calibration) {
  for (const double focal : {calibration.fx, calibration.fy}) {
    if (!(focal > 0) || !std::isfinite(focal)) refuse("focal lengths above 0 in pixels", focal);
  }
  for (const double centre : {calibration.cx, calibration.cy}) {
    if (!std::isfinite(centre)) refuse("a finite image centre in pixels", centre);
  }
  for (const double value : calibration.distortion) {
    if (!std::isfinite(value)) refuse("finite coefficients of the lens", value);
  }
}

std::array<double, 2> undistort(const Calibration& calibration,
                                const std::array<double, 2>& pixel) {
  const auto& d = calibration.distortion;
  switch (calibration.lens) {
    case LensModel::pinhole:
      break;
    case LensModel::brown_conrady:
      return through_plane(calibration, pixel, [&](const Point& p) { return unbend_brown(d, p); });
    case LensModel::fisheye:
      return through_plane(calibration, pixel,
                           [&](const Point& p) { return unbend_fisheye(d, p); });
  }
  return pixel;
}

std::array<double, 2> distort(const Calibration& calibration, const std::array<double, 2>& pixel) {
  const auto& d = calibration.distortion;
  switch (calibration.lens) {
    case LensModel::pinhole:
      break;
    case LensModel::brown_conrady:
      return through_plane(calibration, pixel, [&](const Point& p) { return bend_brown(d, p); });
    case LensModel::fisheye:
      return through_plane(calibration, pixel, [&](const Point& p) { return bend_fisheye(d, p); });
  }
  return pixel;
}

std::string_view to_string(LensModel lens) {
  switch (lens) {
    case LensModel::pinhole:
      return "pinhole";
    case LensModel::brown_conrady:
      return "brown-conrady";
    case LensModel::fisheye:
      return "fisheye";
  }
  return "unknown";
}

LensModel parse_lens_model(std::string_view name) {
  for (const LensModel lens : {LensModel::pinhole, LensModel::brown_conrady, LensModel::fisheye}) {
    if (name == to_string(lens)) return lens;
  }
  throw Error(
      ErrorKind::invalid_argument,
      "expected a lens of pinhole, brown-conrady or fisheye, found '" + std::string(name) + "'");
}

}  // namespace looptree
