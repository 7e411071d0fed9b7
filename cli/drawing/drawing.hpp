// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace looptree::cli {

/// Red, green, blue.
using Colour = std::array<std::uint8_t, 3>;

namespace colours {
constexpr Colour kInk{40, 48, 58};
constexpr Colour kSoft{110, 120, 132};
constexpr Colour kGrid{221, 225, 230};
constexpr Colour kRoute{150, 162, 176};
constexpr Colour kRight{0, 128, 95};  ///< these are told apart by people who see few colours
constexpr Colour kWrong{198, 61, 0};
constexpr Colour kEarlier{0, 114, 178};
constexpr Colour kWhite{255, 255, 255};
}  // namespace colours

enum class Anchor { start, middle, end };

/// What lines and areas look like.
struct Stroke {
  Colour colour = colours::kInk;
  double width = 1;
  double opacity = 1;
  std::vector<double> dash{};  ///< lengths on and off; empty: solid
  bool is_area = false;        ///< filled, with no outline
};

/// A picture as lines, text and images on a page of points (1/72 inch), y downwards, in the order
/// they were added. One drawing gives an SVG, a PDF or a PNG that look the same.
class Drawing {
 public:
  struct Line {
    std::vector<std::pair<double, double>> points;
    Stroke stroke;
  };
  struct Circle {
    double x, y, radius;
    Colour fill;
  };
  struct Text {
    double x, y;
    std::string text;
    double size;
    Anchor anchor;
    Colour colour;
    bool bold, upwards;
  };
  struct Picture {
    double x, y, width, height;
    std::vector<std::uint8_t> jpeg;  ///< grey
    int columns, rows;               ///< of it, in pixels
  };
  using Item = std::variant<Line, Circle, Text, Picture>;

  Drawing(double width, double height) : width_(width), height_(height) {}

  void line(std::vector<std::pair<double, double>> points, Stroke stroke) {
    items_.push_back(Line{std::move(points), std::move(stroke)});
  }
  void circle(double x, double y, double radius, Colour fill) {
    items_.push_back(Circle{x, y, radius, fill});
  }
  /// `upwards` turns the text by 90 degrees, to be read from the right.
  void text(double x, double y, std::string text, double size = 11, Anchor anchor = Anchor::start,
            Colour colour = colours::kInk, bool bold = false, bool upwards = false) {
    items_.push_back(Text{x, y, std::move(text), size, anchor, colour, bold, upwards});
  }
  void picture(Picture picture) { items_.push_back(std::move(picture)); }

  double width() const { return width_; }
  double height() const { return height_; }
  const std::vector<Item>& items() const { return items_; }

 private:
  double width_;
  double height_;
  std::vector<Item> items_;
};

/// An SVG document: text stays text, no scripts, no fonts of its own.
std::string to_svg(const Drawing& drawing);
/// A PDF document of one page, in Helvetica, which every reader has; letters beyond ASCII become
/// "?".
std::string to_pdf(const Drawing& drawing);

/// How wide a text in Helvetica is, in points.
double text_width(const std::string& text, double size);

/// Marks of an axis: multiples of 1, 2 or 5 times a power of ten within it, about `count`.
std::vector<double> axis_marks(double low, double high, int count);

}  // namespace looptree::cli
