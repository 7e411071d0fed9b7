// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "looptree/export.hpp"
#include "looptree/features/features.hpp"
#include "looptree/features/image_view.hpp"

namespace looptree {

/// Image -> keypoints and descriptors, spread over the image so that one textured tree does not
/// take them all. The same image gives the same features, to the bit; of ORB on every machine, of
/// the kinds that OpenCV makes on one machine and OpenCV version. Threads: extract() may run
/// concurrently with itself.
class LOOPTREE_EXPORT FeatureExtractor {
 public:
  virtual ~FeatureExtractor();

  /// No features where the image has none, or is less than 64 pixels wide or high. Throws
  /// Error(invalid_argument) for an empty image.
  virtual Features extract(ImageView image) const = 0;
  virtual DescriptorType descriptor_type() const = 0;
  /// Bytes or floats per descriptor.
  virtual std::size_t descriptor_width() const = 0;
};

}  // namespace looptree
