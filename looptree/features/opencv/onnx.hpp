// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "looptree/features/feature_extractor.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

struct OnnxOptions {
  /// The model's file.
  std::filesystem::path model{};
  /// Keep at most this many per image, spread over it; 1 to 1,000,000.
  std::size_t max_features = 1500;
  /// How sure the model must be of a keypoint, in [0, 1).
  float threshold = 0.05F;
};

/// Features of a network that somebody else trained, run by OpenCV (docs/networks.md). It takes a
/// grey or an RGB image, 1 x 1 or 3 x height x width, from 0 to 1, and gives one of these:
/// - maps at an eighth of the size: descriptors (any number of channels), logits of the 64 pixels
/// of
///   a cell, with or without a 65th for "none", and, or not, how reliable a place is;
/// - keypoints (n x 2, in pixels), their descriptors (n x width) and, or not, their scores (n).
/// Descriptors come as floats of length 1.
///
/// Throws Error(not_found), Error(corruption) for what is no model, and Error(unsupported) for what
/// OpenCV cannot run or gives something else. The model is run once to find out.
///
/// Threads: extract() may run concurrently with itself; each call under way has a model of its own.
LOOPTREE_VISION_EXPORT std::unique_ptr<FeatureExtractor> make_onnx(const OnnxOptions& options);

}  // namespace looptree
