// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/drawing/pictures.hpp"

#include <algorithm>
#include <cmath>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "looptree/common/error.hpp"

#include "cli/detect/truth.hpp"

namespace looptree::cli {
namespace {

const cv::Scalar kPaper(255, 255, 255);
const cv::Scalar kInk(90, 90, 90);
const cv::Scalar kRight(60, 160, 40);
const cv::Scalar kWrong(40, 40, 220);
constexpr int kSide = 1000;
constexpr int kMargin = 50;

void write(const std::filesystem::path& file, const cv::Mat& picture) {
  bool written = false;
  try {
    written = cv::imwrite(file.string(), picture);
  } catch (const cv::Exception&) {
    written = false;
  }
  if (!written) throw Error(ErrorKind::io, "expected to write " + file.string() + ", could not");
}

/// Ground coordinates to pixels, so that the whole route fits and lies in the middle. KITTI's and
/// TUM's worlds differ in which axis is up: the one along which the route extends least is left
/// out.
class Map {
 public:
  explicit Map(const SequenceInfo& info) {
    double extent[3] = {};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double low = info.frames[0].pose->translation[axis];
      double high = low;
      for (const SequenceFrame& frame : info.frames) {
        low = std::min(low, frame.pose->translation[axis]);
        high = std::max(high, frame.pose->translation[axis]);
      }
      middle_[axis] = (low + high) / 2;
      extent[axis] = high - low;
    }
    const auto up = static_cast<std::size_t>(std::min_element(extent, extent + 3) - extent);
    right_ = up == 0 ? 1 : 0;
    ahead_ = up == 2 ? 1 : 2;
    scale_ = (kSide - 2 * kMargin) / std::max({extent[right_], extent[ahead_], 1e-6});
  }

  cv::Point at(const Pose& pose) const {
    const double x = (pose.translation[right_] - middle_[right_]) * scale_;
    const double y = (middle_[ahead_] - pose.translation[ahead_]) * scale_;
    return {static_cast<int>(kSide / 2.0 + x), static_cast<int>(kSide / 2.0 + y)};
  }

 private:
  double middle_[3] = {};
  std::size_t right_ = 0;
  std::size_t ahead_ = 2;
  double scale_ = 1;
};

cv::Scalar colour_of(const SequenceInfo& info, const Closure& closure) {
  const auto truth = judge(info, {closure}, {.exclude_recent = info.frames.size()});
  return !truth || truth->right == 1 ? kRight : kWrong;
}

void draw_map(cv::Mat& picture, const SequenceInfo& info, const std::vector<Closure>& closures) {
  const Map map(info);
  for (std::size_t i = 1; i < info.frames.size(); ++i) {
    cv::line(picture, map.at(*info.frames[i - 1].pose), map.at(*info.frames[i].pose), kInk, 1,
             cv::LINE_AA);
  }
  for (const Closure& closure : closures) {
    const cv::Scalar colour = colour_of(info, closure);
    const cv::Point from = map.at(*info.frames[closure.query].pose);
    cv::line(picture, from, map.at(*info.frames[closure.match].pose), colour, 2, cv::LINE_AA);
    cv::circle(picture, from, 3, colour, cv::FILLED, cv::LINE_AA);
  }
}

void draw_matrix(cv::Mat& picture, const SequenceInfo& info, const std::vector<Closure>& closures) {
  const double scale = (kSide - 2.0 * kMargin) / static_cast<double>(info.frames.size());
  const auto at = [&](std::size_t x, std::size_t y) {
    return cv::Point(kMargin + static_cast<int>(static_cast<double>(x) * scale),
                     kMargin + static_cast<int>(static_cast<double>(y) * scale));
  };
  const std::size_t end = info.frames.size();
  cv::rectangle(picture, at(0, 0), at(end, end), kInk, 1);
  cv::line(picture, at(0, 0), at(end, end), kInk, 1, cv::LINE_AA);
  for (const Closure& closure : closures) {
    cv::circle(picture, at(closure.match, closure.query), 3, colour_of(info, closure), cv::FILLED,
               cv::LINE_AA);
  }
  cv::putText(picture, "matched frame", {kSide / 2 - 80, kMargin - 15}, cv::FONT_HERSHEY_SIMPLEX,
              0.6, kInk, 1, cv::LINE_AA);
  cv::putText(picture, "query frame, downwards", {kMargin + 10, kSide - kMargin - 15},
              cv::FONT_HERSHEY_SIMPLEX, 0.6, kInk, 1, cv::LINE_AA);
}

cv::Mat in_colour(const Image& image) {
  const cv::Mat grey(image.height, image.width, CV_8U,
                     const_cast<std::uint8_t*>(image.pixels.data()));
  cv::Mat colour;
  cv::cvtColor(grey, colour, cv::COLOR_GRAY2BGR);
  return colour;
}

}  // namespace

void draw_route(const SequenceInfo& info, const std::vector<Closure>& closures,
                const std::filesystem::path& file) {
  cv::Mat picture(kSide, kSide, CV_8UC3, kPaper);
  const bool have_poses = std::all_of(info.frames.begin(), info.frames.end(),
                                      [](const SequenceFrame& f) { return f.pose.has_value(); });
  if (have_poses) {
    draw_map(picture, info, closures);
  } else {
    draw_matrix(picture, info, closures);
  }
  write(file, picture);
}

void draw_pair(const Image& query, const Image& match, const Features& query_features,
               const Features& match_features, const Verification& verification,
               const std::filesystem::path& file) {
  // One above the other: images of roads are wide.
  const int gap = 8;
  cv::Mat picture(query.height + gap + match.height, std::max(query.width, match.width), CV_8UC3,
                  kPaper);
  in_colour(query).copyTo(picture(cv::Rect(0, 0, query.width, query.height)));
  in_colour(match).copyTo(picture(cv::Rect(0, query.height + gap, match.width, match.height)));
  for (const Correspondence& inlier : verification.inliers) {
    const Keypoint& a = query_features.keypoints[inlier.query];
    const Keypoint& b = match_features.keypoints[inlier.match];
    const cv::Point2f from(a.x, a.y);
    const cv::Point2f to(b.x, b.y + static_cast<float>(query.height + gap));
    // Hues spread over the width of the image keep neighbouring lines apart.
    const int hue = static_cast<int>(a.x / static_cast<float>(std::max(1, query.width)) * 255);
    const cv::Scalar colour(hue, 200, 255 - hue);
    cv::line(picture, from, to, colour, 1, cv::LINE_AA);
    cv::circle(picture, from, 2, colour, cv::FILLED, cv::LINE_AA);
    cv::circle(picture, to, 2, colour, cv::FILLED, cv::LINE_AA);
  }
  write(file, picture);
}

}  // namespace looptree::cli
