// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/drawing/trajectory_picture.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>

#include <fmt/ostream.h>

#include "looptree/common/error.hpp"

namespace looptree::cli {
namespace {

constexpr double kSide = 900;
constexpr double kMargin = 50;

/// Ground coordinates to pixels, so that everything fits.
struct Scale {
  std::array<double, 3> low{};
  std::array<double, 3> high{};
  std::size_t right = 0;
  std::size_t ahead = 2;

  explicit Scale(const std::vector<PictureLine>& lines) {
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (const PictureLine& line : lines) {
      for (const Pose& pose : line.poses) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          low[axis] = std::min(low[axis], pose.translation[axis]);
          high[axis] = std::max(high[axis], pose.translation[axis]);
        }
      }
    }
    std::size_t up = 0;
    for (const std::size_t axis : {1, 2}) {
      if (high[axis] - low[axis] < high[up] - low[up]) up = axis;
    }
    right = up == 0 ? 1 : 0;
    ahead = up == 2 ? 1 : 2;
  }

  double pixels_per_metre() const {
    const double extent = std::max({high[right] - low[right], high[ahead] - low[ahead], 1e-6});
    return (kSide - 2 * kMargin) / extent;
  }
  double x(const Pose& pose) const {
    return kMargin + (pose.translation[right] - low[right]) * pixels_per_metre();
  }
  double y(const Pose& pose) const {
    return kMargin + (high[ahead] - pose.translation[ahead]) * pixels_per_metre();
  }
};

}  // namespace

void draw_trajectories(const std::vector<PictureLine>& lines, const std::filesystem::path& file) {
  const Scale scale(lines);
  std::ofstream out(file);
  fmt::print(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {0}\" "
             "font-family=\"sans-serif\" font-size=\"16\">\n"
             "<rect width=\"{0}\" height=\"{0}\" fill=\"white\"/>\n",
             kSide);
  double legend = 24;
  for (const PictureLine& line : lines) {
    fmt::print(out, "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" points=\"",
               line.colour);
    for (const Pose& pose : line.poses) {
      fmt::print(out, "{:.1f},{:.1f} ", scale.x(pose), scale.y(pose));
    }
    fmt::print(out, "\"/>\n<text x=\"12\" y=\"{}\" fill=\"{}\">{}</text>\n", legend, line.colour,
               line.name);
    legend += 20;
  }
  fmt::print(out, "</svg>\n");
  out.close();
  if (!out) throw Error(ErrorKind::io, "expected to write " + file.string() + ", could not");
}

}  // namespace looptree::cli
