// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/opencv/detail/brief.hpp"

#include <cmath>
#include <cstddef>

namespace looptree::detail {
namespace {

struct Offset {
  int x;
  int y;
};

struct Comparison {
  Offset first;
  Offset second;
};

using Pattern = std::array<Comparison, kBriefBytes * 8>;

/// A sequence of numbers fixed for good: descriptors made today must match those made later.
class Sequence {
 public:
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(state_ >> 33U);
  }

  /// Bell-shaped around 0 within the patch, as BRIEF's authors found best: the sum of four even
  /// throws of [-6, 6], a deviation of 7.5 pixels. In whole numbers, so that it is the same
  /// everywhere.
  int coordinate() {
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<int>(next() % 13) - 6;
    return sum;
  }

 private:
  std::uint64_t state_ = 0x6c6f6f7074726565U;
};

Pattern make_pattern() {
  Pattern pattern{};
  Sequence sequence;
  for (Comparison& c : pattern) {
    do {
      c = {{sequence.coordinate(), sequence.coordinate()},
           {sequence.coordinate(), sequence.coordinate()}};
    } while (c.first.x == c.second.x && c.first.y == c.second.y);
  }
  return pattern;
}

}  // namespace

Descriptors brief_descriptors(const Image& smoothed, std::span<const Keypoint> keypoints) {
  static const Pattern pattern = make_pattern();
  std::array<std::array<std::ptrdiff_t, 2>, kBriefBytes * 8> steps;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto& [first, second] = pattern[i];
    steps[i] = {static_cast<std::ptrdiff_t>(first.y) * smoothed.width + first.x,
                static_cast<std::ptrdiff_t>(second.y) * smoothed.width + second.x};
  }
  Descriptors descriptors{DescriptorType::binary, kBriefBytes, {}, {}};
  descriptors.bytes.resize(keypoints.size() * kBriefBytes);
  std::uint8_t* out = descriptors.bytes.data();
  for (const Keypoint& point : keypoints) {
    const std::uint8_t* centre =
        smoothed.row(static_cast<int>(std::lround(point.y))) + std::lround(point.x);
    for (std::size_t byte = 0; byte < kBriefBytes; ++byte) {
      unsigned bits = 0;
      for (std::size_t bit = 0; bit < 8; ++bit) {
        const auto& step = steps[byte * 8 + bit];
        bits |= static_cast<unsigned>(centre[step[0]] < centre[step[1]]) << bit;
      }
      *out++ = static_cast<std::uint8_t>(bits);
    }
  }
  return descriptors;
}

}  // namespace looptree::detail
