// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/drawing/trajectory_picture.hpp"

#include <algorithm>
#include <utility>

#include "cli/drawing/ground_plan.hpp"
#include "cli/drawing/write_drawing.hpp"

namespace looptree::cli {
namespace {

constexpr std::size_t kArrows = 12;  // along the route that is drawn last

void draw_arrows(Drawing& drawing, const std::vector<PagePoint>& route) {
  const std::size_t apart = std::max<std::size_t>(1, route.size() / kArrows);
  for (std::size_t i = apart; i < route.size(); i += apart) {
    draw_arrow(drawing, route[i - 1], route[i]);
  }
}

}  // namespace

void draw_trajectories(const std::vector<PictureLine>& lines, const std::filesystem::path& file) {
  std::vector<Pose> all;
  for (const PictureLine& line : lines) all.insert(all.end(), line.poses.begin(), line.poses.end());
  const GroundPlan ground(all);
  Drawing drawing(kWidth, kHeight);
  draw_axes(drawing, ground);
  std::vector<std::pair<std::string, Colour>> legend;
  for (const PictureLine& line : lines) {
    drawing.line(ground.at(line.poses), line.stroke);
    legend.emplace_back(line.name, line.stroke.colour);
  }
  const std::vector<PagePoint> last = ground.at(lines.back().poses);
  draw_arrows(drawing, last);
  draw_start(drawing, last.front());
  draw_legend(drawing, legend);
  write_drawing(drawing, file);
}

}  // namespace looptree::cli
