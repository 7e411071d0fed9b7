// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/odometry_depth.hpp"

#include <algorithm>
#include <cmath>

#include <opencv2/core.hpp>

#include "looptree/common/error.hpp"
#include "looptree/detect/detail/epipolar.hpp"
#include "looptree/detect/detail/rays.hpp"

namespace looptree {
namespace {

/// Nothing is farther away, in units of the poses' way between two neighbours.
constexpr double kFarthest = 1000;

void check_options(const OdometryDepthOptions& options, const Calibration& calibration) {
  require(options.keypoint_sigma_px > 0 && options.octave_scale >= 1 &&
              options.max_relative_sigma > 0 && options.min_inliers >= 8,
          ErrorKind::invalid_argument,
          "expected options of depth from odometry in their ranges, found one outside");
  require(calibration.fx > 0 && calibration.fy > 0, ErrorKind::invalid_argument,
          "expected focal lengths above 0, found one that is not");
}

double sigma(const Keypoint& point, const Calibration& camera,
             const OdometryDepthOptions& options) {
  return detail::ray_sigma(point, camera, options.keypoint_sigma_px, options.octave_scale);
}

/// 1 / depth of one point, and its variance; 0 where it is behind a camera.
struct Depth {
  double inverse = 0;
  double variance = 0;
};

/// The neighbour sees R ray + translation / depth: two equations for 1 / depth.
Depth triangulate(const detail::RayPair& pair, const cv::Matx33d& rotation,
                  const cv::Vec3d& translation) {
  const cv::Vec3d turned = rotation * pair.a;
  const double ax = translation[0] - pair.b[0] * translation[2];
  const double ay = translation[1] - pair.b[1] * translation[2];
  const double bx = pair.b[0] * turned[2] - turned[0];
  const double by = pair.b[1] * turned[2] - turned[1];
  const double squared = ax * ax + ay * ay;
  if (!(squared > 0)) return {};
  Depth depth;
  depth.inverse = (ax * bx + ay * by) / squared;
  const double ahead = turned[2] + depth.inverse * translation[2];
  if (depth.inverse <= 0 || ahead <= 0.01) return {};
  // Both keypoints are off.
  depth.variance = 2 * pair.sigma * pair.sigma * ahead * ahead / squared;
  return depth;
}

/// Sums of what neighbours say of each keypoint, weighed by their variances.
struct Sums {
  std::vector<double> inverse;
  std::vector<double> weight;
};

void add_neighbour(Sums& sums, const PosedFeatures& frame, const PosedFeatures& neighbour,
                   const Calibration& camera, const OdometryDepthOptions& options) {
  const Pose moved = relative_pose(neighbour.pose, frame.pose);
  const cv::Vec3d translation(moved.translation.data());
  const double way = cv::norm(translation);
  if (!(way > 1e-9) || neighbour.features->empty()) return;
  const auto matched = match_descriptors(frame.features->descriptors.view(),
                                         neighbour.features->descriptors.view(), options.matching);
  std::vector<detail::RayPair> pairs;
  for (const Correspondence& c : matched) {
    const Keypoint& a = frame.features->keypoints[c.query];
    const Keypoint& b = neighbour.features->keypoints[c.match];
    const double noise = std::hypot(sigma(a, camera, options), sigma(b, camera, options));
    pairs.push_back({detail::ray_of(a, camera), detail::ray_of(b, camera), noise / std::sqrt(2)});
  }
  detail::EpipolarPose pose;
  pose.rotation = cv::Matx33d(moved.rotation.data());
  pose.direction = translation / way;
  if (!detail::refine(pose, pairs) || pose.inlier_count < options.min_inliers) return;
  // Two images do not tell a direction from its opposite; odometry does.
  if (pose.direction.dot(translation) < 0) return;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pose.inliers[i] == 0) continue;
    const Depth depth = triangulate(pairs[i], pose.rotation, way * pose.direction);
    if (depth.inverse * way * kFarthest < 1) continue;
    sums.inverse[matched[i].query] += depth.inverse / depth.variance;
    sums.weight[matched[i].query] += 1 / depth.variance;
  }
}

}  // namespace

PointDepths inverse_depths_from_odometry(const PosedFeatures& frame,
                                         std::span<const PosedFeatures> neighbours,
                                         const Calibration& calibration,
                                         const OdometryDepthOptions& options) {
  check_options(options, calibration);
  require(frame.features != nullptr, ErrorKind::invalid_argument,
          "expected the features of a frame, found none");
  check(*frame.features);
  const std::size_t size = frame.features->size();
  Sums sums{std::vector<double>(size), std::vector<double>(size)};
  for (const PosedFeatures& neighbour : neighbours) {
    require(neighbour.features != nullptr, ErrorKind::invalid_argument,
            "expected the features of a neighbour, found none");
    check(*neighbour.features);
    add_neighbour(sums, frame, neighbour, calibration, options);
  }
  PointDepths result{std::vector<float>(size), std::vector<float>(size), 0};
  for (std::size_t i = 0; i < size; ++i) {
    if (sums.weight[i] <= 0) continue;
    const double inverse = sums.inverse[i] / sums.weight[i];
    const double deviation = 1 / std::sqrt(sums.weight[i]);
    if (deviation > options.max_relative_sigma * inverse) continue;
    result.inverse_depths[i] = static_cast<float>(inverse);
    result.sigmas[i] = static_cast<float>(deviation);
    ++result.known;
  }
  return result;
}

}  // namespace looptree
