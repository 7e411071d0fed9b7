// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/drawing/write_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "looptree/common/write_error.hpp"

namespace looptree::cli {
namespace {

constexpr double kPixelsPerPoint = 2;
constexpr int kShift = 4;  // OpenCV takes places in sixteenths of a pixel

cv::Scalar bgr(const Colour& colour) {
  return {static_cast<double>(colour[2]), static_cast<double>(colour[1]),
          static_cast<double>(colour[0])};
}

cv::Point fine(double x, double y) {
  const double scale = kPixelsPerPoint * (1 << kShift);
  return {static_cast<int>(std::lround(x * scale)), static_cast<int>(std::lround(y * scale))};
}

/// Paints the items of a drawing, in order.
class Painter {
 public:
  explicit Painter(cv::Mat& picture) : picture_(picture) {}

  void operator()(const Drawing::Line& line) {
    std::vector<cv::Point> points;
    for (const auto& [x, y] : line.points) points.push_back(fine(x, y));
    if (points.size() < 2) return;
    const Stroke& stroke = line.stroke;
    cv::Mat below;
    if (stroke.opacity < 1) below = picture_.clone();
    if (stroke.is_area) {
      cv::fillPoly(picture_, std::vector{points}, bgr(stroke.colour), cv::LINE_AA, kShift);
    } else {
      const int thick = std::max(1, static_cast<int>(std::lround(stroke.width * kPixelsPerPoint)));
      cv::polylines(picture_, std::vector{points}, false, bgr(stroke.colour), thick, cv::LINE_AA,
                    kShift);
    }
    if (stroke.opacity < 1) {
      cv::addWeighted(picture_, stroke.opacity, below, 1 - stroke.opacity, 0, picture_);
    }
  }
  void operator()(const Drawing::Circle& circle) {
    const auto radius =
        static_cast<int>(std::lround(circle.radius * kPixelsPerPoint * (1 << kShift)));
    cv::circle(picture_, fine(circle.x, circle.y), radius, bgr(circle.fill), cv::FILLED,
               cv::LINE_AA, kShift);
  }
  void operator()(const Drawing::Text& text) {
    const int font = cv::FONT_HERSHEY_SIMPLEX;
    const int thick = text.bold ? 2 : 1;
    int base = 0;
    // OpenCV's letters are wider than those that drawings reckon with.
    const double full = text.size * kPixelsPerPoint / 32;
    const double wide = cv::getTextSize(text.text, font, full, thick, &base).width;
    const double room = text_width(text.text, text.size) * kPixelsPerPoint;
    const double scale = full * std::min(1.0, room / std::max(1.0, wide));
    const cv::Size size = cv::getTextSize(text.text, font, scale, thick, &base);
    const double back = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? 0.5 : 1;
    const int x = static_cast<int>(text.x * kPixelsPerPoint);
    const int y = static_cast<int>(text.y * kPixelsPerPoint);
    const int shift = static_cast<int>(back * size.width);
    if (!text.upwards) {
      cv::putText(picture_, text.text, {x - shift, y}, font, scale, bgr(text.colour), thick,
                  cv::LINE_AA);
      return;
    }
    cv::Mat turned;
    cv::rotate(picture_, turned, cv::ROTATE_90_CLOCKWISE);
    cv::putText(turned, text.text, {picture_.rows - y - shift, x}, font, scale, bgr(text.colour),
                thick, cv::LINE_AA);
    cv::rotate(turned, picture_, cv::ROTATE_90_COUNTERCLOCKWISE);
  }
  void operator()(const Drawing::Picture& picture) {
    const cv::Mat image = cv::imdecode(picture.jpeg, cv::IMREAD_COLOR);
    const cv::Rect place(static_cast<int>(picture.x * kPixelsPerPoint),
                         static_cast<int>(picture.y * kPixelsPerPoint),
                         static_cast<int>(picture.width * kPixelsPerPoint),
                         static_cast<int>(picture.height * kPixelsPerPoint));
    const cv::Rect inside = place & cv::Rect(0, 0, picture_.cols, picture_.rows);
    if (image.empty() || inside.empty()) return;
    cv::Mat fitted;
    cv::resize(image, fitted, inside.size(), 0, 0, cv::INTER_LINEAR);
    fitted.copyTo(picture_(inside));
  }

 private:
  cv::Mat& picture_;
};

bool write_image(const Drawing& drawing, const std::filesystem::path& file) {
  cv::Mat picture(static_cast<int>(std::ceil(drawing.height() * kPixelsPerPoint)),
                  static_cast<int>(std::ceil(drawing.width() * kPixelsPerPoint)), CV_8UC3,
                  bgr(colours::kWhite));
  Painter painter(picture);
  for (const Drawing::Item& item : drawing.items()) std::visit(painter, item);
  try {
    return cv::imwrite(file.string(), picture);
  } catch (const cv::Exception&) {
    return false;
  }
}

}  // namespace

void write_drawing(const Drawing& drawing, const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  bool written = false;
  if (extension == ".svg" || extension == ".pdf") {
    std::ofstream out(file, std::ios::binary);
    out << (extension == ".svg" ? to_svg(drawing) : to_pdf(drawing));
    out.close();
    written = !out.fail();
  } else {
    written = write_image(drawing, file);
  }
  if (!written) throw write_error(file);
}

}  // namespace looptree::cli
