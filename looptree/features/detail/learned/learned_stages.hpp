// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "looptree/features/detail/learned/active_map.hpp"
#include "looptree/features/detail/learned/contrast.hpp"
#include "looptree/features/detail/learned/learned_geometry.hpp"
#include "looptree/features/detail/learned/packed_layer.hpp"
#include "looptree/features/detail/learned/score_peaks.hpp"
#include "looptree/features/detail/shrink.hpp"
#include "looptree/features/image.hpp"

namespace looptree::detail {

/// Seconds that each stage of one extraction took.
struct LearnedTimes {
  double input = 0;        ///< resizing, contrast
  double fine = 0;         ///< layers a and b
  double coarse = 0;       ///< layers c and d
  double joined = 0;       ///< their sum and layer f
  double keypoints = 0;    ///< layers k1a and k1b, peaks, the choice among them
  double descriptors = 0;  ///< at keypoints
};

/// The stages of the learned features, and the memory they use again for the next image. One thread
/// at a time.
class LearnedStages {
 public:
  /// The image is not empty. `times`, if any, is added to.
  Features extract(const ImageView& image, const PackedNetwork& net, std::size_t max_features,
                   LearnedTimes* times = nullptr);
  /// Bytes held for the next image.
  std::size_t memory() const;

 private:
  void prepare(const ImageView& image, const PackedNetwork& net);
  void look(const ImageView& image);
  void find_keypoints(const PackedNetwork& net, std::size_t max_features);
  void describe(const PackedNetwork& net, Features& features);

  int image_width_ = 0;
  int image_height_ = 0;
  LearnedGeometry geometry_;
  std::optional<Shrink> shrink_;
  Image halved_;
  std::vector<std::uint8_t> seen_;
  EvenContrast contrast_;
  ActiveMap input_;
  std::array<ActiveMap, kLayers> maps_;  ///< of the layers that make one
  ActiveMap sum_;
  std::vector<std::uint16_t> blended_;
  std::vector<std::uint8_t> hidden_;       ///< a row of layer k1a
  std::vector<std::int16_t> cell_scores_;  ///< a row of layer k1b
  ScoreMap scores_;
  std::vector<std::int16_t> largest_;
  std::vector<Keypoint> peaks_;
  std::vector<Keypoint> chosen_;
  std::vector<std::uint8_t> samples_;
  std::vector<std::uint8_t> bits_;
};

}  // namespace looptree::detail
