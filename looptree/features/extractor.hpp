// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "looptree/features/features.hpp"
#include "looptree/features/image.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// The features this library can extract by itself.
enum class FeatureKind {
  orb,    ///< oriented FAST over a scale pyramid, rotated BRIEF: 32 bytes
  brief,  ///< FAST at one scale, upright BRIEF, as the paper uses: 32 bytes; the fastest
  akaze,  ///< nonlinear scale space, binary: 61 bytes
  sift,   ///< 128 floats
};

/// The name, as the command line spells it.
LOOPTREE_VISION_EXPORT std::string_view to_string(FeatureKind kind);
/// The kind of that name. Throws Error(invalid_argument) and lists the names.
LOOPTREE_VISION_EXPORT FeatureKind parse_feature_kind(std::string_view name);

struct ExtractorOptions {
  FeatureKind kind = FeatureKind::orb;
  /// Keep at most this many per image, spread over it. At least 1.
  std::size_t max_features = 1500;
  /// How much darker or brighter than its centre the ring of a corner must be, in grey levels
  /// [1, 255]; ORB and BRIEF only. Lower finds corners in dark and blurred images.
  int fast_threshold = 12;
};

/// Image -> keypoints and descriptors, spread over the image so that one textured tree does not
/// take them all. The same image gives the same features, to the bit, on one machine and OpenCV
/// version. Threads: extract() may run concurrently with itself.
class LOOPTREE_VISION_EXPORT FeatureExtractor {
 public:
  virtual ~FeatureExtractor() = default;

  /// No features where the image has none, or is less than 64 pixels wide or high. Throws
  /// Error(invalid_argument) for an empty image.
  virtual Features extract(const Image& image) const = 0;
  virtual DescriptorType descriptor_type() const = 0;
  /// Bytes or floats per descriptor.
  virtual std::size_t descriptor_width() const = 0;
};

/// Throws Error(invalid_argument) for options out of range.
LOOPTREE_VISION_EXPORT std::unique_ptr<FeatureExtractor> make_extractor(
    const ExtractorOptions& options = {});

}  // namespace looptree
