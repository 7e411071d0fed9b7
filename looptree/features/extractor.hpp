// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "looptree/features/feature_extractor.hpp"
#include "looptree/features/image.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// The features that the command line and Python name. All but learned and onnx are OpenCV's;
/// OrbExtractor (features/orb.hpp) gives ORB without it, faster, from corners that it chooses
/// another way.
enum class FeatureKind {
  orb,      ///< oriented FAST over a scale pyramid, rotated BRIEF: 32 bytes
  cv_orb,   ///< OpenCV's ORB, cv-orb, whichever `orb` is: the words of looptree 0.1
  brief,    ///< FAST at one scale, upright BRIEF, as the paper uses: 32 bytes; the fastest
  akaze,    ///< nonlinear scale space, binary: 61 bytes
  sift,     ///< 128 floats
  learned,  ///< of our own network (features/learned.hpp): 32 bytes
  onnx,     ///< of a network that the user brings (features/opencv/onnx.hpp): floats
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
  /// The file of the weights of learned features (docs/formats/network.md), empty for those in the
  /// box; or the model of onnx; of no other kind.
  std::string network{};
};

/// Sets the kind to that of a name, or, where `text` ends in .onnx, the kind to onnx and the
/// network to that file. Throws as parse_feature_kind() does.
LOOPTREE_VISION_EXPORT void set_features(ExtractorOptions& options, std::string_view text);

/// The extractor of a kind. Throws Error(invalid_argument) for options out of range, and what
/// LearnedExtractor and make_onnx() throw for their networks.
LOOPTREE_VISION_EXPORT std::unique_ptr<FeatureExtractor> make_extractor(
    const ExtractorOptions& options = {});

}  // namespace looptree
