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
#include "cli/drawing/ground_plan.hpp"
#include "cli/drawing/write_drawing.hpp"
#include "cli/run/truth.hpp"

namespace looptree::cli {
namespace {

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

using Legend = std::vector<std::pair<std::string, Colour>>;

/// A ring, for a closure with an earlier session.
void draw_ring(Drawing& drawing, PagePoint at) {
  drawing.circle(at.first, at.second, 3.2, colours::kEarlier);
  drawing.circle(at.first, at.second, 1.8, colours::kWhite);
}

Legend closures_legend(const std::vector<Closure>& closures, const std::vector<Closure>& earlier,
                       const std::optional<std::vector<bool>>& right) {
  const auto count = [&](bool which) {
    return right ? static_cast<std::size_t>(std::count(right->begin(), right->end(), which))
                 : closures.size();
  };
  Legend legend;
  if (!right) {
    legend = {{fmt::format("{} closures", count(true)), colours::kRight}};
  } else {
    legend = {{fmt::format("{} right closures", count(true)), colours::kRight},
              {fmt::format("{} wrong", count(false)), colours::kWrong}};
  }
  if (!earlier.empty()) {
    legend.push_back({fmt::format("{} earlier sessions", earlier.size()), colours::kEarlier});
  }
  return legend;
}

Colour colour_of(const std::optional<std::vector<bool>>& right, std::size_t closure) {
  return !right || (*right)[closure] ? colours::kRight : colours::kWrong;
}

Drawing draw_map(const SequenceInfo& info, const std::vector<Closure>& closures,
                 const std::vector<Closure>& earlier) {
  Drawing drawing(kWidth, kHeight);
  std::vector<Pose> poses;
  for (const SequenceFrame& frame : info.frames) poses.push_back(*frame.pose);
  const GroundPlan ground(poses);
  draw_axes(drawing, ground);
  const std::vector<PagePoint> route = ground.at(poses);
  drawing.line(route, {.colour = colours::kRoute, .width = 1.5});
  for (const Closure& closure : earlier) draw_ring(drawing, route[closure.query]);
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
  draw_start(drawing, route[0]);
  auto legend = closures_legend(closures, earlier, right);
  legend.insert(legend.begin(), {fmt::format("route, {} frames", route.size()), colours::kRoute});
  draw_legend(drawing, legend);
  return drawing;
}

Drawing draw_matrix(const SequenceInfo& info, const std::vector<Closure>& closures,
                    const std::vector<Closure>& earlier) {
  Drawing drawing(kWidth, kHeight);
  std::size_t longest = info.frames.size();
  for (const Closure& closure : earlier) longest = std::max(longest, closure.match + 1);
  const auto frames = static_cast<double>(longest);
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
  for (const Closure& closure : earlier) {
    draw_ring(drawing, {x(static_cast<double>(closure.match) + 0.5),
                        y(static_cast<double>(closure.query) + 0.5)});
  }
  const auto right = right_ones(info, closures);
  for (std::size_t i = 0; i < closures.size(); ++i) {
    drawing.circle(x(static_cast<double>(closures[i].match) + 0.5),
                   y(static_cast<double>(closures[i].query) + 0.5), 2.2, colour_of(right, i));
  }
  draw_legend(drawing, closures_legend(closures, earlier, right));
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
                const std::vector<Closure>& earlier, const std::filesystem::path& file) {
  write_drawing(
      have_poses(info) ? draw_map(info, closures, earlier) : draw_matrix(info, closures, earlier),
      file);
}

void draw_pair(const Image& query, const Image& match, const Features& query_features,
               const Features& match_features, const Verification& verification,
               const std::filesystem::path& file) {
  // One above the other: images of roads are wide. A pixel is a point, at most 800 of them.
  const double width = std::min(800, std::max(query_features.width, match_features.width));
  const double scale = width / query_features.width;
  const double gap = 6;
  const Drawing::Picture above = picture_of(query, 0, 0, width);
  const Drawing::Picture below = picture_of(match, 0, above.height + gap, width);
  Drawing drawing(width, below.y + below.height);
  drawing.picture(above);
  drawing.picture(below);
  for (const Correspondence& inlier : verification.inliers) {
    const Keypoint& a = query_features.keypoints[inlier.query];
    const Keypoint& b = match_features.keypoints[inlier.match];
    const double below_scale = width / match_features.width;
    const std::pair from{(a.x + 0.5) * scale, (a.y + 0.5) * scale};
    const std::pair to{(b.x + 0.5) * below_scale, below.y + (b.y + 0.5) * below_scale};
    const Colour colour = hue(a.x / static_cast<double>(std::max(1, query_features.width)));
    drawing.line({from, to}, {.colour = colour, .width = 0.8});
    drawing.circle(from.first, from.second, 1.6, colour);
    drawing.circle(to.first, to.second, 1.6, colour);
  }
  write_drawing(drawing, file);
}

}  // namespace looptree::cli
