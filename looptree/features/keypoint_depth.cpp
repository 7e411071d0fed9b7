// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/features/keypoint_depth.hpp"

#include <algorithm>
#include <cmath>

namespace looptree {
namespace {

/// Of the smallest to the largest of four neighbours' inverse depths, on one surface.
constexpr float kOneSurface = 0.95F;

float sample(const DepthImage& depth, const Keypoint& point) {
  if (!(point.x >= 0) || !(point.y >= 0)) return 0;
  const int x = std::min(static_cast<int>(point.x), depth.width - 2);
  const int y = std::min(static_cast<int>(point.y), depth.height - 2);
  if (x < 0 || y < 0 || point.x > static_cast<float>(depth.width - 1) ||
      point.y > static_cast<float>(depth.height - 1)) {
    return 0;
  }
  const float* upper = depth.row(y) + x;
  const float* lower = depth.row(y + 1) + x;
  const std::array<float, 4> metres{upper[0], upper[1], lower[0], lower[1]};
  const auto [nearest, farthest] = std::minmax_element(metres.begin(), metres.end());
  if (!(*nearest > 0) || !(*nearest >= kOneSurface * *farthest)) return 0;
  const float right = point.x - static_cast<float>(x);
  const float down = point.y - static_cast<float>(y);
  return (1 - down) * ((1 - right) / metres[0] + right / metres[1]) +
         down * ((1 - right) / metres[2] + right / metres[3]);
}

}  // namespace

std::vector<float> inverse_depths_from_image(const DepthImage& depth,
                                             std::span<const Keypoint> keypoints) {
  std::vector<float> result(keypoints.size(), 0.0F);
  if (depth.empty()) return result;
  std::transform(keypoints.begin(), keypoints.end(), result.begin(),
                 [&](const Keypoint& point) { return sample(depth, point); });
  return result;
}

std::vector<float> inverse_depths_from_points(std::span<const std::array<float, 3>> points) {
  std::vector<float> result;
  result.reserve(points.size());
  for (const auto& point : points) {
    const float inverse = 1 / point[2];
    result.push_back(point[2] > 0 && std::isfinite(inverse) ? inverse : 0.0F);
  }
  return result;
}

}  // namespace looptree
