// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/drawing/drawing.hpp"

namespace looptree::cli {

/// A line of a chart. `low` and `high` shade a band around it; empty, or one per point.
struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;
  std::vector<double> low{};
  std::vector<double> high{};
};

/// Lines over two axes that begin at 0 and end at the largest value, or at `x_end` and `y_end`.
struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<ChartLine> lines;
  std::optional<double> x_end{};
  std::optional<double> y_end{};
};

/// The chart with axes and a legend. Values that are not finite are left out.
Drawing draw_chart(const Chart& chart);

}  // namespace looptree::cli
