// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Where on its row of the right image is a keypoint of the left one?
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "looptree/common/error.hpp"
#include "looptree/features/keypoint_depth.hpp"

namespace looptree {
namespace {

/// Pixels from the middle of a patch to its edge.
constexpr int kReach = 5;
constexpr int kSide = 2 * kReach + 1;
constexpr std::size_t kPixels = std::size_t{kSide} * kSide;
constexpr int kRefinements = 6;
/// Nothing is farther off than a disparity of this says, in pixels; what is, counts as this far.
constexpr double kFarthest = 0.05;

bool has_patch(const ImageView& image, int x, int y) {
  return x >= kReach && y >= kReach && x + kReach < image.width && y + kReach < image.height;
}

/// The sum of absolute differences of two patches.
int difference(const ImageView& a, int ax, const ImageView& b, int bx, int y) {
  int sum = 0;
  for (int row = y - kReach; row <= y + kReach; ++row) {
    const std::uint8_t* pa = a.row(row) + ax - kReach;
    const std::uint8_t* pb = b.row(row) + bx - kReach;
    for (int i = 0; i < kSide; ++i) sum += std::abs(pa[i] - pb[i]);
  }
  return sum;
}

/// The place on the row of `there` that looks most like (x, y) of `here`, from `first` to `last`;
/// nothing if it is not clearly better than others.
std::optional<int> best_on_row(const ImageView& here, int x, int y, const ImageView& there,
                               int first, int last, double max_ratio) {
  first = std::max(first, kReach);
  last = std::min(last, there.width - 1 - kReach);
  if (first > last) return std::nullopt;
  static thread_local std::vector<int> sums;
  sums.clear();
  for (int at = first; at <= last; ++at) sums.push_back(difference(here, x, there, at, y));
  const auto best = std::min_element(sums.begin(), sums.end());
  const auto place = static_cast<int>(best - sums.begin());
  int second = std::numeric_limits<int>::max();
  for (int i = 0; i < static_cast<int>(sums.size()); ++i) {
    if (std::abs(i - place) > 2) second = std::min(second, sums[static_cast<std::size_t>(i)]);
  }
  if (*best > max_ratio * second) return std::nullopt;
  return first + place;
}

/// Grey at a place between pixels that lies inside.
float bilinear(const ImageView& image, float x, float y) {
  const int x0 = std::min(static_cast<int>(x), image.width - 2);
  const int y0 = std::min(static_cast<int>(y), image.height - 2);
  const float right = x - static_cast<float>(x0);
  const float down = y - static_cast<float>(y0);
  const std::uint8_t* upper = image.row(y0) + x0;
  const std::uint8_t* lower = image.row(y0 + 1) + x0;
  const float above = upper[0] + right * static_cast<float>(upper[1] - upper[0]);
  const float below = lower[0] + right * static_cast<float>(lower[1] - lower[0]);
  return above + down * (below - above);
}

using Patch = std::array<float, kPixels>;

/// Pixels in the middle count more: towards the edge there may be another surface.
const Patch& weights() {
  static const Patch result = [] {
    Patch patch{};
    std::size_t at = 0;
    for (int y = -kReach; y <= kReach; ++y) {
      for (int x = -kReach; x <= kReach; ++x) {
        patch[at++] = static_cast<float>(std::exp(-(x * x + y * y) / 18.0));
      }
    }
    return patch;
  }();
  return result;
}

/// Takes its weighted mean from a patch, and returns its weighted sum of squares after it.
float centre(Patch& patch) {
  const Patch& w = weights();
  float sum = 0;
  float weight = 0;
  for (std::size_t i = 0; i < kPixels; ++i) {
    sum += w[i] * patch[i];
    weight += w[i];
  }
  float squares = 0;
  for (std::size_t i = 0; i < kPixels; ++i) {
    patch[i] -= sum / weight;
    squares += w[i] * patch[i] * patch[i];
  }
  return squares;
}

/// How a patch of the left image appears in the right one: shifted by `shift` to the left, and by
/// lean_x, lean_y more per pixel from its middle, as on a wall or a road.
struct Warp {
  double shift = 0;
  double lean_x = 0;
  double lean_y = 0;
};

class Refiner {
 public:
  Refiner(ImageView left, ImageView right, const Keypoint& point)
      : right_(right), x_(point.x), y_(point.y) {
    const auto sample = [&](float x, float y) { return bilinear(left, x, y); };
    fill(patch_, Warp{}, sample);
    squares_ = centre(patch_);
  }

  /// The disparity at the keypoint; nothing if the refinement runs away or the patches differ.
  std::optional<double> run(double start, double min_correlation) {
    Warp warp{start, 0, 0};
    for (int i = 0; i < kRefinements; ++i) {
      const auto step = gauss_newton(warp);
      if (!step) return std::nullopt;
      warp.shift += step->shift;
      warp.lean_x += step->lean_x;
      warp.lean_y += step->lean_y;
      if (std::abs(warp.shift - start) > 2 || std::abs(warp.lean_x) > 0.8 ||
          std::abs(warp.lean_y) > 0.8) {
        return std::nullopt;
      }
      if (std::abs(step->shift) < 0.005) break;
    }
    if (correlation(warp) < min_correlation) return std::nullopt;
    return warp.shift;
  }

 private:
  template <typename Sample>
  void fill(Patch& patch, const Warp& warp, Sample sample) const {
    std::size_t at = 0;
    for (int dy = -kReach; dy <= kReach; ++dy) {
      for (int dx = -kReach; dx <= kReach; ++dx) {
        const double shift = warp.shift + warp.lean_x * dx + warp.lean_y * dy;
        patch[at++] = sample(x_ + static_cast<float>(dx - shift), y_ + static_cast<float>(dy));
      }
    }
  }

  /// Whether all of it, and a pixel more, lies inside the right image.
  bool is_inside(const Warp& warp) const {
    const double reach = kReach * (1 + std::abs(warp.lean_x) + std::abs(warp.lean_y)) + 1;
    const double x = x_ - warp.shift;
    return x >= reach && x + reach <= right_.width - 1;
  }

  std::optional<Warp> gauss_newton(const Warp& warp) {
    if (!is_inside(warp)) return std::nullopt;
    fill(seen_, warp, [&](float x, float y) { return bilinear(right_, x, y); });
    fill(slope_, warp, [&](float x, float y) {
      return 0.5F * (bilinear(right_, x + 1, y) - bilinear(right_, x - 1, y));
    });
    centre(seen_);
    // Moving by one pixel to the left changes a pixel by minus its slope.
    std::array<double, 6> h{};
    std::array<double, 3> b{};
    std::size_t at = 0;
    for (int dy = -kReach; dy <= kReach; ++dy) {
      for (int dx = -kReach; dx <= kReach; ++dx, ++at) {
        const double w = weights()[at];
        const double g = -slope_[at];
        const double r = patch_[at] - seen_[at];
        const double gx = g * dx;
        const double gy = g * dy;
        h[0] += w * g * g;
        h[1] += w * g * gx;
        h[2] += w * g * gy;
        h[3] += w * gx * gx;
        h[4] += w * gx * gy;
        h[5] += w * gy * gy;
        b[0] += w * g * r;
        b[1] += w * gx * r;
        b[2] += w * gy * r;
      }
    }
    return solve(h, b);
  }

  /// A symmetric 3 x 3 system; leans are held back a little, since a patch may say nothing of them.
  static std::optional<Warp> solve(std::array<double, 6> h, const std::array<double, 3>& b) {
    h[3] += 0.1 * h[0];
    h[5] += 0.1 * h[0];
    const double c00 = h[3] * h[5] - h[4] * h[4];
    const double c01 = h[2] * h[4] - h[1] * h[5];
    const double c02 = h[1] * h[4] - h[2] * h[3];
    const double determinant = h[0] * c00 + h[1] * c01 + h[2] * c02;
    if (!(determinant > 1e-6)) return std::nullopt;
    const double c11 = h[0] * h[5] - h[2] * h[2];
    const double c12 = h[1] * h[2] - h[0] * h[4];
    const double c22 = h[0] * h[3] - h[1] * h[1];
    return Warp{(c00 * b[0] + c01 * b[1] + c02 * b[2]) / determinant,
                (c01 * b[0] + c11 * b[1] + c12 * b[2]) / determinant,
                (c02 * b[0] + c12 * b[1] + c22 * b[2]) / determinant};
  }

  double correlation(const Warp& warp) {
    if (!is_inside(warp)) return -1;
    fill(seen_, warp, [&](float x, float y) { return bilinear(right_, x, y); });
    const float squares = centre(seen_);
    double product = 0;
    for (std::size_t i = 0; i < kPixels; ++i) product += weights()[i] * patch_[i] * seen_[i];
    const double scale = std::sqrt(static_cast<double>(squares) * squares_);
    return scale > 0 ? product / scale : -1;
  }

  ImageView right_;
  float x_;
  float y_;
  Patch patch_{};
  Patch seen_{};
  Patch slope_{};
  float squares_ = 0;
};

std::optional<double> disparity(ImageView left, ImageView right, const Keypoint& point, int most,
                                const StereoOptions& options) {
  const auto x = static_cast<int>(std::lround(point.x));
  const auto y = static_cast<int>(std::lround(point.y));
  // A pixel more, so that patches between pixels fit, too.
  if (!has_patch(left, x - 1, y - 1) || !has_patch(left, x + 1, y + 1)) return std::nullopt;
  const auto there = best_on_row(left, x, y, right, x - most, x + 1, options.max_ratio);
  if (!there) return std::nullopt;
  // The way back must lead home: what only one camera sees has no counterpart.
  const auto back = best_on_row(right, *there, y, left, *there - 1, *there + most, 1);
  if (!back || std::abs(*back - x) > 1) return std::nullopt;
  return Refiner(left, right, point).run(x - *there, options.min_correlation);
}

}  // namespace

std::vector<float> inverse_depths_from_stereo(ImageView left, ImageView right,
                                              std::span<const Keypoint> keypoints,
                                              const StereoRig& rig, const StereoOptions& options) {
  require(!left.empty() && left.width == right.width && left.height == right.height,
          ErrorKind::invalid_argument, "expected two images of one size, found others");
  require(rig.fx > 0 && rig.baseline_m > 0, ErrorKind::invalid_argument,
          "expected a rig with fx and baseline_m above 0, found another");
  require(options.min_depth_m > 0 && options.min_correlation >= 0 && options.min_correlation < 1 &&
              options.max_ratio > 0 && options.max_ratio <= 1,
          ErrorKind::invalid_argument,
          "expected stereo options in their ranges, found one outside");
  const double focal = rig.fx * rig.baseline_m;
  const auto most = static_cast<int>(
      std::min(std::ceil(focal / options.min_depth_m), static_cast<double>(left.width)));
  std::vector<float> result;
  result.reserve(keypoints.size());
  for (const Keypoint& point : keypoints) {
    const auto found = disparity(left, right, point, most, options);
    result.push_back(found && *found > -1 ? static_cast<float>(std::max(*found, kFarthest) / focal)
                                          : 0.0F);
  }
  return result;
}

}  // namespace looptree
