// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "looptree/features/detail/orb/corners.hpp"
#include "looptree/features/detail/orb_levels.hpp"
#include "looptree/features/detail/shrink.hpp"
#include "looptree/features/orb.hpp"

namespace looptree::detail {

/// Seconds that each stage of one extraction took.
struct OrbTimes {
  double pyramid = 0;
  double corners = 0;
  double orientation = 0;
  double blur = 0;
  double descriptors = 0;
};

/// The stages of ORB, one level after the other, and the memory they use again for the next image.
/// One thread at a time.
class OrbStages {
 public:
  /// The image is not empty and the options are in range. `times`, if any, is added to.
  Features extract(const ImageView& image, const OrbOptions& options, OrbTimes* times = nullptr);

 private:
  void prepare(int width, int height);
  ImageView make_level(std::size_t level, const ImageView& image, const ImageView& previous);
  void describe_level(const ImageView& level, std::size_t octave, Features& features,
                      OrbTimes* times);

  int width_ = 0;
  int height_ = 0;
  std::vector<OrbLevel> levels_;
  std::vector<Shrink> shrinks_;  ///< to the second level and those after it
  std::vector<std::vector<std::uint8_t>> pixels_;
  std::vector<std::uint8_t> blurred_;
  std::vector<float> blur_rows_;
  CornerSearch search_;
};

}  // namespace looptree::detail
