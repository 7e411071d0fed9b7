// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/detail/orb/orb_stages.hpp"

#include <algorithm>
#include <chrono>

#include "looptree/features/detail/orb/blur.hpp"
#include "looptree/features/detail/orb/orb_pattern.hpp"
#include "looptree/features/detail/orb/steered_brief.hpp"

namespace looptree::detail {
namespace {

/// Kernels read and write whole vectors, up to 64 bytes behind a row of ours. Rows of the caller's
/// image have no such room; from this width on the kernels do not need it.
constexpr std::size_t kRowPadding = 64;
constexpr int kWideEnough = 160;

std::size_t padded(int width) {
  return (static_cast<std::size_t>(width) + kRowPadding + 63) / 64 * 64;
}

/// Adds the time from its making to its end to a stage, if anybody asked for it.
class StageTimer {
 public:
  using Clock = std::chrono::steady_clock;
  StageTimer(OrbTimes* times, double OrbTimes::*stage)
      : seconds_(times != nullptr ? &(times->*stage) : nullptr) {
    if (seconds_ != nullptr) start_ = Clock::now();
  }
  ~StageTimer() {
    if (seconds_ == nullptr) return;
    *seconds_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double* seconds_;
  Clock::time_point start_;
};

}  // namespace

void OrbStages::prepare(int width, int height) {
  if (width == width_ && height == height_) return;
  width_ = width;
  height_ = height;
  levels_ = orb_levels(width, height);
  shrinks_.clear();
  pixels_.assign(levels_.size(), {});
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const OrbLevel& level = levels_[i];
    const std::size_t size = padded(level.width) * static_cast<std::size_t>(level.height);
    if (i == 0) blurred_.resize(size);
    if (i > 0 || width < kWideEnough) pixels_[i].resize(size);
    if (i > 0) {
      shrinks_.emplace_back(levels_[i - 1].width, levels_[i - 1].height, level.width, level.height);
    }
  }
}

ImageView OrbStages::make_level(std::size_t level, const ImageView& image,
                                const ImageView& previous) {
  if (level == 0 && image.width >= kWideEnough) return image;
  const OrbLevel& size = levels_[level];
  std::uint8_t* target = pixels_[level].data();
  const std::size_t stride = padded(size.width);
  if (level > 0) {
    shrinks_[level - 1](previous, target, stride);
  } else {
    for (int y = 0; y < image.height; ++y) {
      std::copy_n(image.row(y), image.width, target + static_cast<std::size_t>(y) * stride);
    }
  }
  return {target, size.width, size.height, stride};
}

/// Orientations and descriptors of the corners that were just found.
void OrbStages::describe_level(const ImageView& level, std::size_t octave, Features& features,
                               OrbTimes* times) {
  const std::vector<Corner>& corners = search_.corners();
  const std::size_t first = features.size();
  {
    const StageTimer timer(times, &OrbTimes::orientation);
    for (const auto& [x, y, score] : corners) {
      features.keypoints.push_back(level_keypoint(levels_[octave], static_cast<int>(octave), x, y,
                                                  score, orientation(level, x, y)));
    }
  }
  if (corners.empty()) return;
  const std::size_t stride = padded(level.width);
  {
    const StageTimer timer(times, &OrbTimes::blur);
    blur(level, kOrbUnread, blurred_.data(), stride, blur_rows_);
  }
  const StageTimer timer(times, &OrbTimes::descriptors);
  const ImageView blurred{blurred_.data(), level.width, level.height, stride};
  std::vector<std::uint8_t>& bytes = features.descriptors.bytes;
  bytes.resize(features.size() * kOrbBits / 8);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    describe(blurred, corners[i].x, corners[i].y, features.keypoints[first + i].angle,
             bytes.data() + (first + i) * kOrbBits / 8);
  }
}

Features OrbStages::extract(const ImageView& image, const OrbOptions& options, OrbTimes* times) {
  prepare(image.width, image.height);
  Features features;
  features.width = image.width;
  features.height = image.height;
  features.keypoints.reserve(std::min<std::size_t>(options.max_features, 10000));
  ImageView level;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    {
      const StageTimer timer(times, &OrbTimes::pyramid);
      level = make_level(i, image, level);
    }
    {
      const StageTimer timer(times, &OrbTimes::corners);
      const std::size_t budget = level_budget(levels_[i], options.max_features, features.size());
      search_.find(level, CellGrid(levels_[i], budget), options.fast_threshold, budget);
    }
    describe_level(level, i, features, times);
  }
  return features;
}

}  // namespace looptree::detail
