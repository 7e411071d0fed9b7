// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/opencv/detail/adapters.hpp"

#include <algorithm>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

/// OpenCV's pyramids fail on images smaller than a patch or two, in which nothing is to be found.
constexpr int kSmallestSide = 64;

}  // namespace

std::vector<Keypoint> from_cv(const std::vector<cv::KeyPoint>& points) {
  std::vector<Keypoint> result;
  result.reserve(points.size());
  for (const cv::KeyPoint& p : points) {
    result.push_back({p.pt.x, p.pt.y, p.size, p.angle, p.response, p.octave});
  }
  return result;
}

Descriptors from_cv(const cv::Mat& rows, DescriptorType type, std::size_t width) {
  Descriptors result{type, width, {}, {}};
  const std::size_t elements = static_cast<std::size_t>(rows.rows) * width;
  // Rows are contiguous when OpenCV made them itself.
  const cv::Mat whole = rows.isContinuous() ? rows : rows.clone();
  if (type == DescriptorType::binary) {
    result.bytes.assign(whole.ptr<std::uint8_t>(), whole.ptr<std::uint8_t>() + elements);
  } else {
    result.floats.assign(whole.ptr<float>(), whole.ptr<float>() + elements);
  }
  return result;
}

Features CvExtractor::extract(ImageView image) const {
  require(!image.empty(), ErrorKind::invalid_argument,
          "expected an image with pixels, found an empty one");
  Features features;
  features.descriptors = {type_, width_, {}, {}};
  if (std::min(image.width, image.height) >= kSmallestSide) features = extract_from(image);
  features.width = image.width;
  features.height = image.height;
  return features;
}

}  // namespace looptree::detail
