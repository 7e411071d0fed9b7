// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/drawing/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "cli/drawing/drawing.hpp"
#include "cli/drawing/write_drawing.hpp"
#include "cli/run/truth.hpp"

namespace looptree::cli {
namespace {

constexpr double kWidth = 560;
constexpr double kPlot = 480;  // the side of the square in which routes and matrices lie
constexpr double kLeft = 60;
constexpr double kTop = 40;
constexpr double kMargin = 14;  // between the square and what is in it
constexpr double kHeight = kTop + kPlot + 70;
constexpr std::size_t kNumbers = 12;  // frame numbers along a route

bool have_poses(const SequenceInfo& info) {
  return std::all_of(info.frames.begin(), info.frames.end(),
                     [](const SequenceFrame& frame) { return frame.pose.has_value(); });
}

/// Per closure whether it is right; nothing where there is no truth to say so.
std::optional<std::vector<bool>> right_ones(const SequenceInfo& info,
                                            const std::vector<Closure>& closures) {
  const auto truth = judge(info, closures, {.exclude_recent = info.frames.size()});
  if (!truth) return std::nullopt;
  return truth->is_right;
}

/// Ground coordinates to the page, a metre as long in both directions, the whole route in the
/// middle. KITTI's and TUM's worlds differ in which axis is up: the one along which the route
/// extends least is left out.
class Ground {
 public:
  explicit Ground(const SequenceInfo& info) {
    std::array<double, 3> low{};
    std::array<double, 3> high{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = high[axis] = info.frames[0].pose->translation[axis];
      for (const SequenceFrame& frame : info.frames) {
        low[axis] = std::min(low[axis], frame.pose->translation[axis]);
        high[axis] = std::max(high[axis], frame.pose->translation[axis]);
      }
    }
    std::size_t up = 0;
    for (const std::size_t axis : {1, 2}) {
      if (high[axis] - low[axis] < high[up] - low[up]) up = axis;
    }
    axes_ = {up == 0 ? std::size_t{1} : 0, up == 2 ? std::size_t{1} : 2};
    double extent = 1e-6;
    for (std::size_t k = 0; k < 2; ++k) {
      middle_[k] = (low[axes_[k]] + high[axes_[k]]) / 2;
      extent = std::max(extent, high[axes_[k]] - low[axes_[k]]);
    }
    half_ = extent / 2 * kPlot / (kPlot - 2 * kMargin);
  }

  std::pair<double, double> at(const Pose& pose) const {
    return {x(pose.translation[axes_[0]]), y(pose.translation[axes_[1]])};
  }
  double x(double metres) const { return kLeft + (metres - low(0)) * scale(); }
  double y(double metres) const { return kTop + kPlot - (metres - low(1)) * scale(); }
  double low(std::size_t k) const { return middle_[k] - half_; }
  double high(std::size_t k) const { return middle_[k] + half_; }
  double scale() const { return kPlot / (2 * half_); }
  const char* name(std::size_t k) const {
    constexpr const char* kNames[] = {"x (m)", "y (m)", "z (m)"};
    return kNames[axes_[k]];
  }

 private:
  std::array<std::size_t, 2> axes_{};
  std::array<double, 2> middle_{};
  double half_ = 1;
};

void draw_frame(Drawing& drawing) {
  const double right = kLeft + kPlot;
  const double bottom = kTop + kPlot;
  drawing.line({{kLeft, kTop}, {right, kTop}, {right, bottom}, {kLeft, bottom}, {kLeft, kTop}},
               {.colour = colours::kSoft});
}

void draw_mark(Drawing& drawing, double x, double y, bool below, double value) {
  const double tick = 4;
  if (below) {
    drawing.line({{x, y}, {x, y + tick}}, {.colour = colours::kSoft});
    drawing.text(x, y + 16, fmt::format("{:g}", value), 11, Anchor::middle);
  } else {
    drawing.line({{x - tick, y}, {x, y}}, {.colour = colours::kSoft});
    drawing.text(x - 7, y + 4, fmt::format("{:g}", value), 11, Anchor::end);
  }
}

void draw_axes(Drawing& drawing, const Ground& ground) {
  draw_frame(drawing);
  const double bottom = kTop + kPlot;
  for (const double mark : axis_marks(ground.low(0), ground.high(0), 6)) {
    draw_mark(drawing, ground.x(mark), bottom, true, mark);
  }
  for (const double mark : axis_marks(ground.low(1), ground.high(1), 6)) {
    draw_mark(drawing, kLeft, ground.y(mark), false, mark);
  }
  drawing.text(kLeft + kPlot / 2, bottom + 34, ground.name(0), 12, Anchor::middle);
  drawing.text(16, kTop + kPlot / 2, ground.name(1), 12, Anchor::middle, colours::kInk, false,
               true);
  // The bar for those who do not read axes.
  const double bar = axis_marks(0, (ground.high(0) - ground.low(0)) / 4, 1).back();
  const double x = kLeft + 12;
  const double y = bottom - 12;
  drawing.line(
      {{x, y - 5}, {x, y}, {x + bar * ground.scale(), y}, {x + bar * ground.scale(), y - 5}},
      {.width = 1.5});
  drawing.text(x + 4, y - 6, fmt::format("{:g} m", bar), 11);
}

/// Entries from left to right above the plot.
void draw_legend(Drawing& drawing, const std::vector<std::pair<std::string, Colour>>& entries) {
  double x = kLeft;
  for (const auto& [name, colour] : entries) {
    drawing.line({{x, kTop - 16}, {x + 18, kTop - 16}}, {.colour = colour, .width = 3});
    drawing.text(x + 24, kTop - 12, name, 12);
    x += 44 + text_width(name, 12);
  }
}

std::vector<std::pair<std::string, Colour>> closures_legend(
    const std::vector<Closure>& closures, const std::optional<std::vector<bool>>& right) {
  const auto count = [&](bool which) {
    return right ? static_cast<std::size_t>(std::count(right->begin(), right->end(), which))
                 : closures.size();
  };
  if (!right) return {{fmt::format("{} closures", count(true)), colours::kRight}};
  return {{fmt::format("{} right closures", count(true)), colours::kRight},
          {fmt::format("{} wrong", count(false)), colours::kWrong}};
}

Colour colour_of(const std::optional<std::vector<bool>>& right, std::size_t closure) {
  return !right || (*right)[closure] ? colours::kRight : colours::kWrong;
}

/// An arrow's head at a point, ahead.
void draw_arrow(Drawing& drawing, std::pair<double, double> from, std::pair<double, double> at) {
  const double dx = at.first - from.first;
  const double dy = at.second - from.second;
  const double length = std::hypot(dx, dy);
  if (length <= 0) return;
  const double cos = dx / length;
  const double sin = dy / length;
  const auto turned = [&](double ahead, double aside) {
    return std::pair{at.first + ahead * cos - aside * sin, at.second + ahead * sin + aside * cos};
  };
  drawing.line({turned(5, 0), turned(-4, -4), turned(-2, 0), turned(-4, 4)}, {.is_area = true});
}

Drawing draw_map(const SequenceInfo& info, const std::vector<Closure>& closures) {
  Drawing drawing(kWidth, kHeight);
  const Ground ground(info);
  draw_axes(drawing, ground);
  std::vector<std::pair<double, double>> route;
  for (const SequenceFrame& frame : info.frames) route.push_back(ground.at(*frame.pose));
  drawing.line(route, {.colour = colours::kRoute, .width = 1.5});
  const auto right = right_ones(info, closures);
  for (std::size_t i = 0; i < closures.size(); ++i) {
    const auto from = route[closures[i].query];
    drawing.line({from, route[closures[i].match]}, {.colour = colour_of(right, i), .width = 1.2});
    drawing.circle(from.first, from.second, 1.8, colour_of(right, i));
  }
  const std::size_t apart = std::max<std::size_t>(1, route.size() / kNumbers);
  for (std::size_t i = apart; i < route.size(); i += apart) {
    draw_arrow(drawing, route[i - 1], route[i]);
    drawing.text(route[i].first + 6, route[i].second - 6, std::to_string(i), 9, Anchor::start,
                 colours::kSoft);
  }
  drawing.circle(route[0].first, route[0].second, 5, colours::kInk);
  drawing.circle(route[0].first, route[0].second, 3, colours::kWhite);
  drawing.text(route[0].first + 8, route[0].second + 12, "start", 11, Anchor::start, colours::kInk,
               true);
  auto legend = closures_legend(closures, right);
  legend.insert(legend.begin(), {fmt::format("route, {} frames", route.size()), colours::kRoute});
  draw_legend(drawing, legend);
  return drawing;
}

Drawing draw_matrix(const SequenceInfo& info, const std::vector<Closure>& closures) {
  Drawing drawing(kWidth, kHeight);
  const auto frames = static_cast<double>(info.frames.size());
  const auto x = [&](double frame) { return kLeft + kPlot * frame / frames; };
  const auto y = [&](double frame) { return kTop + kPlot * frame / frames; };
  draw_frame(drawing);
  drawing.line({{x(0), y(0)}, {x(frames), y(frames)}}, {.colour = colours::kGrid});
  for (const double mark : axis_marks(0, frames - 1, 6)) {
    draw_mark(drawing, x(mark + 0.5), kTop + kPlot, true, mark);
    draw_mark(drawing, kLeft, y(mark + 0.5), false, mark);
  }
  drawing.text(kLeft + kPlot / 2, kTop + kPlot + 34, "matched frame", 12, Anchor::middle);
  drawing.text(16, kTop + kPlot / 2, "query frame", 12, Anchor::middle, colours::kInk, false, true);
  const auto right = right_ones(info, closures);
  for (std::size_t i = 0; i < closures.size(); ++i) {
    drawing.circle(x(static_cast<double>(closures[i].match) + 0.5),
                   y(static_cast<double>(closures[i].query) + 0.5), 2.2, colour_of(right, i));
  }
  draw_legend(drawing, closures_legend(closures, right));
  return drawing;
}

Drawing::Picture picture_of(const Image& image, double x, double y, double width) {
  const cv::Mat grey(image.height, image.width, CV_8U,
                     const_cast<std::uint8_t*>(image.pixels.data()));
  Drawing::Picture picture{x,  y,           width,       width * image.height / image.width,
                           {}, image.width, image.height};
  cv::imencode(".jpg", grey, picture.jpeg, {cv::IMWRITE_JPEG_QUALITY, 92});
  return picture;
}

/// Hues spread over the width of the image keep neighbouring lines apart: blue over red to yellow.
Colour hue(double part) {
  const auto mix = [part](double a, double b) {
    return static_cast<std::uint8_t>(std::lround(a + (b - a) * std::clamp(part, 0.0, 1.0)));
  };
  return {mix(30, 255), mix(144, 176), mix(255, 0)};
}

}  // namespace

void draw_route(const SequenceInfo& info, const std::vector<Closure>& closures,
                const std::filesystem::path& file) {
  write_drawing(have_poses(info) ? draw_map(info, closures) : draw_matrix(info, closures), file);
}

void draw_pair(const Image& query, const Image& match, const Features& query_features,
               const Features& match_features, const Verification& verification,
               const std::filesystem::path& file) {
  // One above the other: images of roads are wide. A pixel is a point, at most 800 of them.
  const double width = std::min(800, std::max(query.width, match.width));
  const double scale = width / query.width;
  const double gap = 6;
  const Drawing::Picture above = picture_of(query, 0, 0, width);
  const Drawing::Picture below = picture_of(match, 0, above.height + gap, width);
  Drawing drawing(width, below.y + below.height);
  drawing.picture(above);
  drawing.picture(below);
  for (const Correspondence& inlier : verification.inliers) {
    const Keypoint& a = query_features.keypoints[inlier.query];
    const Keypoint& b = match_features.keypoints[inlier.match];
    const double below_scale = width / match.width;
    const std::pair from{(a.x + 0.5) * scale, (a.y + 0.5) * scale};
    const std::pair to{(b.x + 0.5) * below_scale, below.y + (b.y + 0.5) * below_scale};
    const Colour colour = hue(a.x / static_cast<double>(std::max(1, query.width)));
    drawing.line({from, to}, {.colour = colour, .width = 0.8});
    drawing.circle(from.first, from.second, 1.6, colour);
    drawing.circle(to.first, to.second, 1.6, colour);
  }
  write_drawing(drawing, file);
}

}  // namespace looptree::cli
