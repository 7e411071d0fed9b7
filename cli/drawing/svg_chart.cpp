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
constexpr std::array kColours = {"#000000", "#e69f00", "#56b4e9", "#009e73",
                                 "#d55e00", "#0072b2", "#cc79a7", "#7f7f7f"};
constexpr std::array kDashes = {"none", "6 3", "2 3"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

/// 1, 2 or 5 times a power of ten, about a fifth of the range.
double tick_step(double end) {
  const double raw = end / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

/// Where an axis is marked: multiples of the step, up to its end.
std::vector<double> ticks(double end) {
  const double step = tick_step(end);
  std::vector<double> marks;
  for (int i = 0; i * step <= end * 1.0001; ++i) marks.push_back(i * step);
  return marks;
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

std::string text(double x, double y, const std::string& what, const char* more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, escaped(what));
}

std::string axes(const Chart& chart, const Scale& x, const Scale& y) {
  std::string svg;
  const double bottom = kHeight - kBottom;
  for (const double tick : ticks(x.end())) {
    svg += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" class=\"g\"/>\n",
                       x(tick), kTop, bottom);
    svg += text(x(tick), bottom + 18, fmt::format("{:g}", tick), "text-anchor=\"middle\"");
  }
  for (const double tick : ticks(y.end())) {
    svg += fmt::format("<line x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" class=\"g\"/>\n",
                       y(tick), kLeft, kWidth - kRight);
    svg += text(kLeft - 8, y(tick) + 4, fmt::format("{:g}", tick), "text-anchor=\"end\"");
  }
  const double middle = (kLeft + kWidth - kRight) / 2;
  svg += text(middle, kHeight - 14, chart.x_label, "text-anchor=\"middle\"");
  svg += text(middle, 22, chart.title, "text-anchor=\"middle\" font-weight=\"bold\"");
  svg += fmt::format("<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">",
                     (kTop + bottom) / 2);
  return svg + escaped(chart.y_label) + "</text>\n";
}

std::string band(const ChartLine& line, const Scale& x, const Scale& y, const char* colour) {
  if (line.low.size() != line.points.size() || line.high.size() != line.points.size()) return "";
  std::string path;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    path += fmt::format("{:.1f},{:.1f} ", x(line.points[i].first), y(line.high[i]));
  }
  for (std::size_t i = line.points.size(); i-- > 0;) {
    path += fmt::format("{:.1f},{:.1f} ", x(line.points[i].first), y(line.low[i]));
  }
  return fmt::format("<polygon points=\"{}\" fill=\"{}\" opacity=\"0.12\"/>\n", path, colour);
}

}  // namespace

std::string to_svg(const Chart& chart) {
  const Scale x(chart.x_end.value_or(largest(chart, true)), kLeft, kWidth - kRight);
  const Scale y(chart.y_end.value_or(largest(chart, false)), kHeight - kBottom, kTop);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<style>.g{{stroke:#ddd}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  svg += axes(chart, x, y);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const ChartLine& line = chart.lines[i];
    const char* colour = kColours[i % kColours.size()];
    const char* dash = kDashes[i / kColours.size() % kDashes.size()];
    svg += band(line, x, y, colour);
    std::string points;
    for (const auto& [px, py] : line.points) {
      if (std::isfinite(px) && std::isfinite(py))
        points += fmt::format("{:.1f},{:.1f} ", x(px), y(py));
    }
    svg += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" "
        "stroke-dasharray=\"{}\"/>\n",
        points, colour, dash);
    const double at = kTop + 8 + 18 * static_cast<double>(i);
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" stroke=\"{3}\" stroke-width=\"1.8\" "
        "stroke-dasharray=\"{4}\"/>\n",
        kWidth - kRight + 12, kWidth - kRight + 36, at, colour, dash);
    svg += text(kWidth - kRight + 42, at + 4, line.name, "");
  }
  return svg + "</svg>\n";
}

}  // namespace looptree::cli
