// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/drawing/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace looptree::cli {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 440;
constexpr double kLeft = 70;
constexpr double kRight = 170;  // the names of the lines stand there
constexpr double kTop = 40;
constexpr double kBottom = 56;
// Colours that people who see no red or green tell apart too (Okabe and Ito).
constexpr std::array<Colour, 8> kColours = {{{0, 0, 0},
                                             {230, 159, 0},
                                             {86, 180, 233},
                                             {0, 158, 115},
                                             {213, 94, 0},
                                             {0, 114, 178},
                                             {204, 121, 167},
                                             {127, 127, 127}}};

std::vector<double> dash(std::size_t line) {
  switch (line / kColours.size() % 3) {
    case 1:
      return {6, 3};
    case 2:
      return {2, 3};
    default:
      return {};
  }
}

/// From values to the page.
class Scale {
 public:
  Scale(double end, double from, double to) : end_(end), from_(from), to_(to) {}
  double operator()(double value) const {
    return from_ + (to_ - from_) * std::clamp(value / end_, 0.0, 1.0);
  }
  double end() const { return end_; }

 private:
  double end_;
  double from_;
  double to_;
};

double largest(const Chart& chart, bool of_x) {
  double end = 0;
  for (const ChartLine& line : chart.lines) {
    for (const auto& [x, y] : line.points) {
      const double value = of_x ? x : y;
      if (std::isfinite(value)) end = std::max(end, value);
    }
  }
  return end > 0 ? end : 1;
}

void draw_axes(Drawing& drawing, const Chart& chart, const Scale& x, const Scale& y) {
  const double bottom = kHeight - kBottom;
  const double right = kWidth - kRight;
  for (const double mark : axis_marks(0, x.end(), 5)) {
    drawing.line({{x(mark), kTop}, {x(mark), bottom}}, {.colour = colours::kGrid});
    drawing.text(x(mark), bottom + 18, fmt::format("{:g}", mark), 12, Anchor::middle);
  }
  for (const double mark : axis_marks(0, y.end(), 5)) {
    drawing.line({{kLeft, y(mark)}, {right, y(mark)}}, {.colour = colours::kGrid});
    drawing.text(kLeft - 8, y(mark) + 4, fmt::format("{:g}", mark), 12, Anchor::end);
  }
  const double middle = (kLeft + right) / 2;
  drawing.text(middle, kHeight - 14, chart.x_label, 12, Anchor::middle);
  drawing.text(middle, 22, chart.title, 12, Anchor::middle, colours::kInk, true);
  drawing.text(18, (kTop + bottom) / 2, chart.y_label, 12, Anchor::middle, colours::kInk, false,
               true);
}

void draw_band(Drawing& drawing, const ChartLine& line, const Scale& x, const Scale& y,
               const Colour& colour) {
  if (line.low.size() != line.points.size() || line.high.size() != line.points.size()) return;
  std::vector<std::pair<double, double>> around;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    around.emplace_back(x(line.points[i].first), y(line.high[i]));
  }
  for (std::size_t i = line.points.size(); i-- > 0;) {
    around.emplace_back(x(line.points[i].first), y(line.low[i]));
  }
  drawing.line(std::move(around), {.colour = colour, .opacity = 0.12, .is_area = true});
}

}  // namespace

Drawing draw_chart(const Chart& chart) {
  const Scale x(chart.x_end.value_or(largest(chart, true)), kLeft, kWidth - kRight);
  const Scale y(chart.y_end.value_or(largest(chart, false)), kHeight - kBottom, kTop);
  Drawing drawing(kWidth, kHeight);
  draw_axes(drawing, chart, x, y);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    const Stroke stroke{.colour = kColours[i % kColours.size()], .width = 1.8, .dash = dash(i)};
    draw_band(drawing, line, x, y, stroke.colour);
    std::vector<std::pair<double, double>> points;
    for (const auto& [px, py] : line.points) {
      if (std::isfinite(px) && std::isfinite(py)) points.emplace_back(x(px), y(py));
    }
    drawing.line(std::move(points), stroke);
    const double at = kTop + 8 + 18 * static_cast<double>(i);
    drawing.line({{kWidth - kRight + 12, at}, {kWidth - kRight + 36, at}}, stroke);
    drawing.text(kWidth - kRight + 42, at + 4, line.name, 12);
  }
  return drawing;
}

}  // namespace looptree::cli
