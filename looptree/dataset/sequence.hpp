// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "looptree/common/pose.hpp"
#include "looptree/features/depth_image.hpp"
#include "looptree/features/image.hpp"
#include "looptree/vision_export.hpp"

namespace looptree {

/// What a dataset says of one frame beside its pixels.
struct SequenceFrame {
  std::string name;                      ///< of the image file, or "frame N"
  std::optional<double> time_s{};        ///< seconds, from wherever the dataset counts
  std::optional<Pose> pose{};            ///< ground truth
  std::optional<std::uint32_t> label{};  ///< retrieval sets: what the image shows
};

/// Ground truth as a table: is the place of frame i that of frame j?
struct LoopMask {
  std::size_t frames = 0;
  std::vector<std::uint8_t> same_place;  ///< frames x frames, row by row, 0 or 1
  bool operator()(std::size_t i, std::size_t j) const { return same_place[i * frames + j] != 0; }
};

/// What is known of a sequence before its first image is read.
struct SequenceInfo {
  std::string format;                   ///< the reader's name, see open_sequence()
  std::vector<SequenceFrame> frames{};  ///< one per image, in order
  std::optional<Calibration> calibration{};
  /// Where a second camera looks along with the first, rectified (a point lies on the same row of
  /// both): metres from the first to it, to the right. Above 0.
  std::optional<double> baseline_m{};
  /// The standard deviation of 1 / depth, in 1/metres, of depth images; 0 where there are none.
  double inverse_depth_sigma = 0;
  std::optional<LoopMask> loops{};
  /// Files of the folder that were left out, since they are neither images nor known by name.
  std::vector<std::string> skipped{};
  /// A route is filmed with one camera, so its images are of one size; a collection is not.
  bool is_route = true;
};

/// Gives the pixels of a frame. A reader, or a user's own source of images, implements it.
class LOOPTREE_VISION_EXPORT ImageSource {
 public:
  virtual ~ImageSource() = default;
  /// The image of that frame. Throws Error(not_found or corruption) if it cannot be had; other
  /// frames may still be read.
  virtual Image load(std::size_t frame) = 0;
  /// Whether load() may run from several threads at once, and in any order at the same cost.
  virtual bool is_random_access() const = 0;
};

/// Gives the depth image of a frame, as an ImageSource its pixels.
class LOOPTREE_VISION_EXPORT DepthSource {
 public:
  virtual ~DepthSource() = default;
  /// Empty where the frame has none. Throws as ImageSource::load().
  virtual DepthImage load(std::size_t frame) = 0;
};

/// What a sequence has beside the images of its camera; null where it has none.
struct DepthSources {
  std::unique_ptr<ImageSource> right{};  ///< images of the second camera
  std::unique_ptr<DepthSource> depth{};
};

struct Frame {
  std::size_t number = 0;  ///< in the sequence, from 0
  SequenceFrame info;
  Image image;
};

/// Images in order, read one at a time: the memory it takes does not grow with the pixels.
/// Not for several threads at once, but for image() where is_random_access().
class LOOPTREE_VISION_EXPORT Sequence {
 public:
  Sequence(SequenceInfo info, std::unique_ptr<ImageSource> source, DepthSources beside = {});

  const SequenceInfo& info() const noexcept { return info_; }
  std::size_t size() const noexcept { return info_.frames.size(); }

  /// The next frame; nothing at the end. Throws Error(not_found or corruption) for an image that is
  /// missing, unreadable or, on a route, not of the size of the first; the sequence then stands
  /// after it, so that the caller chooses whether to go on.
  std::optional<Frame> next();

  /// The image of any frame; in a video, reading backwards decodes from the start again. Throws as
  /// next() does, and Error(invalid_argument) past the end.
  Image image(std::size_t frame);
  bool is_random_access() const;

  bool has_right() const noexcept { return beside_.right != nullptr; }
  bool has_depth() const noexcept { return beside_.depth != nullptr; }
  /// The second camera's image of that frame, and the depth image; empty where there is none.
  /// Throws as image() does; for an image that is not of the size `like` has Error(corruption).
  Image right_image(std::size_t frame, const Image& like);
  DepthImage depth_image(std::size_t frame, const Image& like);

 private:
  void check_number(std::size_t frame) const;

  SequenceInfo info_;
  std::unique_ptr<ImageSource> source_;
  DepthSources beside_;
  std::size_t position_ = 0;
  int width_ = 0;
  int height_ = 0;
};

/// Throws Error(corruption) unless the image is of that size.
LOOPTREE_VISION_EXPORT void check_size(const Image& image, int width, int height,
                                       const std::string& name);

/// Reads a grey image from any file OpenCV decodes; colour is turned grey, and 16 bits are spread
/// over 8, from the darkest to the brightest half percent. Throws Error(not_found) if there is no
/// such file, Error(corruption) if it is no whole image, Error(unsupported) for pixels of floats.
LOOPTREE_VISION_EXPORT Image read_image(const std::string& path);
/// Reads a depth image of 16 bits, in which 0 is unknown. Throws as read_image() does, and
/// Error(corruption) for an image of another kind.
LOOPTREE_VISION_EXPORT DepthImage read_depth_image(const std::string& path, double units_per_metre);
/// The same from bytes; `name` is for messages.
LOOPTREE_VISION_EXPORT Image decode_image(std::span<const std::uint8_t> bytes,
                                          const std::string& name);
/// Writes an image in the format its name asks for. Throws Error(io) if that fails.
LOOPTREE_VISION_EXPORT void write_image(const std::string& path, const Image& image);

}  // namespace looptree
