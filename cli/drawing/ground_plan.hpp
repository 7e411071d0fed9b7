// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/pose.hpp"

#include "cli/drawing/drawing.hpp"

// A page with a square to draw in, and routes seen from above in that square.
namespace looptree::cli {

constexpr double kWidth = 560;
constexpr double kPlot = 480;  // the side of the square in which routes and matrices lie
constexpr double kLeft = 60;
constexpr double kTop = 40;
constexpr double kHeight = kTop + kPlot + 70;

using PagePoint = std::pair<double, double>;

/// Ground coordinates to the page, a metre as long in both directions, all poses in the middle.
/// KITTI's and TUM's worlds differ in which axis is up: the one along which the poses extend least
/// is left out.
class GroundPlan {
 public:
  /// At least one pose.
  explicit GroundPlan(std::span<const Pose> poses);

  PagePoint at(const Pose& pose) const {
    return {x(pose.translation[axes_[0]]), y(pose.translation[axes_[1]])};
  }
  std::vector<PagePoint> at(std::span<const Pose> poses) const;
  double x(double metres) const { return kLeft + (metres - low(0)) * scale(); }
  double y(double metres) const { return kTop + kPlot - (metres - low(1)) * scale(); }
  double low(std::size_t k) const { return middle_[k] - half_; }
  double high(std::size_t k) const { return middle_[k] + half_; }
  double scale() const { return kPlot / (2 * half_); }
  const char* name(std::size_t k) const;

 private:
  std::array<std::size_t, 2> axes_{};
  std::array<double, 2> middle_{};
  double half_ = 1;
};

/// The outline of the square.
void draw_frame(Drawing& drawing);
/// A mark of an axis at a point of it, with its value below, or else on the left.
void draw_mark(Drawing& drawing, double x, double y, bool below, double value);
/// The outline, axes with their marks, and a scale bar.
void draw_axes(Drawing& drawing, const GroundPlan& ground);
/// Entries from left to right above the square.
void draw_legend(Drawing& drawing, const std::vector<std::pair<std::string, Colour>>& entries);
/// An arrow's head at a point, ahead.
void draw_arrow(Drawing& drawing, PagePoint from, PagePoint at);
/// A ring, and "start".
void draw_start(Drawing& drawing, PagePoint at);

}  // namespace looptree::cli
