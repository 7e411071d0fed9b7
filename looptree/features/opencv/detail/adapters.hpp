// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <opencv2/core.hpp>

#include "looptree/features/feature_extractor.hpp"

namespace looptree::detail {

/// The detector of OpenCV is asked for this many times more than are kept, so that there is a
/// choice in every part of the image.
inline constexpr std::size_t kOversampling = 3;

/// The same pixels, for OpenCV to read.
inline cv::Mat as_mat(const ImageView& image) {
  return {image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels), image.stride};
}

std::vector<Keypoint> from_cv(const std::vector<cv::KeyPoint>& points);

/// Descriptor rows as ours.
Descriptors from_cv(const cv::Mat& rows, DescriptorType type, std::size_t width);

template <typename Item>
std::vector<Item> pick(const std::vector<Item>& items, const std::vector<std::size_t>& indices) {
  std::vector<Item> result;
  result.reserve(indices.size());
  for (const std::size_t i : indices) result.push_back(items[i]);
  return result;
}

/// What every kind that OpenCV makes shares: the check of the image, the description of the rows.
class CvExtractor : public FeatureExtractor {
 public:
  CvExtractor(DescriptorType type, std::size_t width) : type_(type), width_(width) {}

  DescriptorType descriptor_type() const override { return type_; }
  std::size_t descriptor_width() const override { return width_; }
  Features extract(ImageView image) const override;

 protected:
  virtual Features extract_from(const ImageView& image) const = 0;

  DescriptorType type_;
  std::size_t width_;
};

}  // namespace looptree::detail
