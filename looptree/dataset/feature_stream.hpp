// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/dataset/sequence.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/store/map_types.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// A frame of a sequence with what was extracted from it, or why that failed.
struct FrameFeatures {
  std::size_t number = 0;  ///< in the sequence
  SequenceFrame info{};    ///< what the sequence knows of it: its name, time, pose
  Features features;
  std::vector<std::uint8_t> thumbnail{};  ///< a small JPEG, where one was asked for
  std::optional<Error> error{};  ///< the image could not be read; there are no features then
  /// The error is that a whole image was not as large as the first.
  bool is_another_size = false;
  double read_ms = 0;  ///< to decode or render the image
  double extract_ms = 0;
};

/// What tells the depth of features.
enum class DepthFrom {
  nothing,
  images,  ///< depth images
  stereo,  ///< a second camera, rectified with the first; needs the calibration
};

/// The best a sequence has.
LOOPTREE_VISION_EXPORT DepthFrom best_depth(const Sequence& sequence);
/// The standard deviation of the inverse depths that come of it, in 1/metres; 0 for nothing.
LOOPTREE_VISION_EXPORT double inverse_depth_sigma(const SequenceInfo& info, DepthFrom depth);

constexpr int kThumbnailWidth = 160;
/// A picture for people, as maps keep them: JPEG, grey, `width` pixels wide or as wide as the image
/// if that is less. Nothing for width 0.
LOOPTREE_VISION_EXPORT std::vector<std::uint8_t> make_thumbnail(const Image& image, int width);
/// The same of a thumbnail that is wider, or as wide.
LOOPTREE_VISION_EXPORT std::vector<std::uint8_t> smaller_thumbnail(
    const std::vector<std::uint8_t>& thumbnail, int width);

/// Number, name, time, pose and thumbnail, as LoopDetector::process_frame() and maps take them.
LOOPTREE_VISION_EXPORT FrameInfo frame_info(const FrameFeatures& frame);

/// The frames of a sequence in order, with their features, worked out ahead on other threads while
/// the caller deals with the last ones. The caller's thread keeps a core to itself: it is one of
/// `threads`, and extracts too instead of waiting. Holds at most two frames per thread, never the
/// sequence.
class LOOPTREE_VISION_EXPORT FeatureStream {
 public:
  /// At most `threads` extract at the same time (0: one per core of the machine), the one that
  /// calls next() among them: with 1, all happens there. The sequence and the extractor must
  /// outlive the stream, and nobody else may use the sequence meanwhile. With `stride` n only
  /// frames 0, n, 2n, ... are read. `depth` says whether the features come with inverse depths
  /// where the sequence has what it takes; a frame whose depth cannot be read has an error.
  /// `thumbnail_width` is that of make_thumbnail(); 0: frames come without.
  FeatureStream(Sequence& sequence, const FeatureExtractor& extractor, std::size_t threads = 0,
                std::size_t stride = 1, DepthFrom depth = DepthFrom::nothing,
                int thumbnail_width = 0);
  /// Stops the threads; frames not yet taken are dropped.
  ~FeatureStream();
  FeatureStream(const FeatureStream&) = delete;
  FeatureStream& operator=(const FeatureStream&) = delete;

  /// The next frame, with `error` set for one that could not be read; nothing at the end. The order
  /// and the content do not depend on the number of threads. Errors other than a bad image (say, no
  /// memory) are thrown here.
  std::optional<FrameFeatures> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace looptree
