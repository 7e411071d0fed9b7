// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "looptree/export.hpp"
#include "looptree/features/feature_extractor.hpp"

namespace looptree {

struct OrbOptions {
  /// Keep at most this many per image, spread over it; 1 to 1,000,000.
  std::size_t max_features = 1500;
  /// How much darker or brighter than its centre the ring of a corner must be, in grey levels
  /// [1, 255]. Lower finds corners in dark and blurred images.
  int fast_threshold = 12;
};

/// ORB without OpenCV: FAST-9 corners over a pyramid of 8 levels, each 1.2 times smaller than the
/// one before, turned by their intensity centroid, described by 256 comparisons. At the same
/// keypoint, level and angle a descriptor equals that of cv::ORB, to the bit, so ORB vocabularies
/// of other systems serve (docs/features.md says to which of OpenCV's several blurs).
///
/// Which corners are kept: every level has a share of the budget that falls with its side, and
/// what it leaves over goes to the next. A level is cut into cells of about four keypoints each; of
/// the eight corners of a cell with the highest FAST scores, cells give the best by Harris' score,
/// then their second, and so on, until the share is full. Where those do not fill it, all corners
/// take part. Responses are Harris' scores, in the scale of cv::ORB.
///
/// Threads: extract() may run concurrently with itself; each call under way holds about five bytes
/// per pixel of the image, which the next call uses again. Cost: docs/features.md.
class LOOPTREE_EXPORT OrbExtractor final : public FeatureExtractor {
 public:
  /// Throws Error(invalid_argument) for options out of range.
  explicit OrbExtractor(const OrbOptions& options = {});
  ~OrbExtractor() override;
  OrbExtractor(const OrbExtractor&) = delete;
  OrbExtractor& operator=(const OrbExtractor&) = delete;

  Features extract(ImageView image) const override;
  DescriptorType descriptor_type() const override { return DescriptorType::binary; }
  std::size_t descriptor_width() const override { return 32; }

 private:
  class Pool;
  OrbOptions options_;
  std::unique_ptr<Pool> pool_;
};

/// The same features from plain loops over pixels: slow, obvious, and what OrbExtractor is tested
/// against. Throws as OrbExtractor does.
LOOPTREE_EXPORT Features plain_orb(ImageView image, const OrbOptions& options = {});

}  // namespace looptree
