// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/drawing/ground_plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace looptree::cli {
namespace {

constexpr double kMargin = 14;  // between the square and what is in it

}  // namespace

GroundPlan::GroundPlan(std::span<const Pose> poses) {
  std::array<double, 3> low = poses.front().translation;
  std::array<double, 3> high = low;
  for (const Pose& pose : poses) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], pose.translation[axis]);
      high[axis] = std::max(high[axis], pose.translation[axis]);
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

std::vector<PagePoint> GroundPlan::at(std::span<const Pose> poses) const {
  std::vector<PagePoint> points;
  for (const Pose& pose : poses) points.push_back(at(pose));
  return points;
}

const char* GroundPlan::name(std::size_t k) const {
  constexpr const char* kNames[] = {"x (m)", "y (m)", "z (m)"};
  return kNames[axes_[k]];
}

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

void draw_axes(Drawing& drawing, const GroundPlan& ground) {
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
  const double bar = axis_marks(0, (ground.high(0) - ground.low(0)) / 4, 3).back();
  const double x = kLeft + 12;
  const double y = bottom - 12;
  drawing.line(
      {{x, y - 5}, {x, y}, {x + bar * ground.scale(), y}, {x + bar * ground.scale(), y - 5}},
      {.width = 1.5});
  drawing.text(x + 4, y - 6, fmt::format("{:g} m", bar), 11);
}

void draw_legend(Drawing& drawing, const std::vector<std::pair<std::string, Colour>>& entries) {
  double x = kLeft;
  for (const auto& [name, colour] : entries) {
    drawing.line({{x, kTop - 16}, {x + 18, kTop - 16}}, {.colour = colour, .width = 3});
    drawing.text(x + 24, kTop - 12, name, 12);
    x += 44 + text_width(name, 12);
  }
}

void draw_arrow(Drawing& drawing, PagePoint from, PagePoint at) {
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

void draw_start(Drawing& drawing, PagePoint at) {
  drawing.circle(at.first, at.second, 5, colours::kInk);
  drawing.circle(at.first, at.second, 3, colours::kWhite);
  drawing.text(at.first + 8, at.second + 12, "start", 11, Anchor::start, colours::kInk, true);
}

}  // namespace looptree::cli
