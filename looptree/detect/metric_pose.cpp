// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/metric_pose.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>

#include "looptree/common/error.hpp"
#include "looptree/detect/detail/point_pose.hpp"
#include "looptree/detect/detail/rays.hpp"

namespace looptree {
namespace {

using detail::PointPair;
using detail::PointPose;

/// Of RANSAC, in keypoint sigmas: wide, since refinement decides.
constexpr double kSampleGate = 4;
/// A closure that is less sure than this says nothing: metres, and radians.
constexpr double kMostMetres = 20;
constexpr double kMostRadians = 0.5;

void check_options(const MetricPoseOptions& options, const Calibration& calibration) {
  require(options.keypoint_sigma_px > 0 && options.octave_scale >= 1 &&
              options.inverse_depth_sigma > 0 && options.min_inliers >= 6 &&
              options.min_inlier_ratio >= 0 && options.min_inlier_ratio <= 1 &&
              options.max_iterations >= 1 && options.caution >= 1,
          ErrorKind::invalid_argument,
          "expected options of a metric pose in their ranges, found one outside");
  require(calibration.fx > 0 && calibration.fy > 0, ErrorKind::invalid_argument,
          "expected focal lengths above 0, found one that is not");
}

void check_sigmas(std::span<const float> sigmas, const Features& features) {
  require(sigmas.empty() || sigmas.size() == features.size(), ErrorKind::invalid_argument,
          "expected no sigmas of inverse depths, or one per keypoint, found another number");
}

/// One image's side of a pair.
struct Sight {
  const Features& features;
  std::span<const float> sigmas;
  const Calibration& calibration;
  const MetricPoseOptions& options;

  cv::Vec3d ray(std::size_t row) const {
    return detail::ray_of(features.keypoints[row], calibration);
  }
  double sigma(std::size_t row) const {
    return detail::ray_sigma(features.keypoints[row], calibration, options.keypoint_sigma_px,
                             options.octave_scale);
  }
  double inverse_depth(std::size_t row) const {
    return features.inverse_depths.empty() ? 0 : features.inverse_depths[row];
  }
  double inverse_sigma(std::size_t row) const {
    return sigmas.empty() ? options.inverse_depth_sigma : sigmas[row];
  }
};

/// a is the query, b the match. Pairs without depth in either are left out.
std::vector<PointPair> pairs_of(const Sight& query, const Sight& match,
                                std::span<const Correspondence> correspondences) {
  std::vector<PointPair> pairs;
  for (const Correspondence& c : correspondences) {
    require(c.query < query.features.size() && c.match < match.features.size(),
            ErrorKind::invalid_argument,
            "expected correspondences of rows that are there, found one that is not");
    const double inverse_a = query.inverse_depth(c.query);
    const double inverse_b = match.inverse_depth(c.match);
    if (inverse_a <= 0 && inverse_b <= 0) continue;
    pairs.push_back({query.ray(c.query), match.ray(c.match), query.sigma(c.query),
                     match.sigma(c.match), inverse_a, inverse_b, query.inverse_sigma(c.query),
                     match.inverse_sigma(c.match)});
  }
  return pairs;
}

/// RANSAC over three points each whose depth is known in the first camera. Nothing if no sample
/// agrees with enough others.
std::optional<PointPose> sample(const std::vector<PointPair>& pairs, bool from_a,
                                const MetricPoseOptions& options, const Calibration& calibration) {
  std::vector<cv::Point3d> points;
  std::vector<cv::Point2d> seen;
  for (const PointPair& pair : pairs) {
    const double inverse = from_a ? pair.inverse_a : pair.inverse_b;
    if (inverse <= 0) continue;
    const cv::Vec3d point = (from_a ? pair.ray_a : pair.ray_b) / inverse;
    const cv::Vec3d& ray = from_a ? pair.ray_b : pair.ray_a;
    points.emplace_back(point);
    seen.emplace_back(ray[0], ray[1]);
  }
  if (points.size() < options.min_inliers) return std::nullopt;
  cv::UsacParams usac;
  usac.confidence = 0.999;
  usac.isParallel = false;  // the parallel form is not deterministic
  usac.loIterations = 3;
  usac.loMethod = cv::LOCAL_OPTIM_INNER_LO;
  usac.loSampleSize = 12;
  usac.maxIterations = static_cast<int>(options.max_iterations);
  usac.randomGeneratorState = static_cast<int>(options.seed);
  usac.sampler = cv::SAMPLING_UNIFORM;
  usac.score = cv::SCORE_METHOD_MSAC;
  // Sees the image in pixels of its own size, and the threshold with it.
  usac.threshold = kSampleGate * options.keypoint_sigma_px;
  cv::Mat camera = (cv::Mat_<double>(3, 3) << calibration.fx, 0, 0, 0, calibration.fy, 0, 0, 0, 1);
  for (cv::Point2d& ray : seen) ray = {ray.x * calibration.fx, ray.y * calibration.fy};
  cv::Vec3d rotation;
  cv::Vec3d translation;
  std::vector<int> inliers;
  try {
    if (!cv::solvePnPRansac(points, seen, camera, cv::noArray(), rotation, translation, inliers,
                            usac)) {
      return std::nullopt;
    }
  } catch (const cv::Exception&) {
    return std::nullopt;  // points of which no three give a pose
  }
  cv::Matx33d matrix;
  cv::Rodrigues(rotation, matrix);
  PointPose pose;
  pose.rotation = from_a ? matrix : matrix.t();
  pose.translation = from_a ? translation : -1.0 * (matrix.t() * translation);
  return pose;
}

/// The better of what the points of either image give.
std::optional<PointPose> start(const std::vector<PointPair>& pairs,
                               const MetricPoseOptions& options, const Calibration& calibration) {
  std::optional<PointPose> best = sample(pairs, true, options, calibration);
  const auto other = sample(pairs, false, options, calibration);
  if (!best || (other && detail::median_squared_error(*other, pairs) <
                             detail::median_squared_error(*best, pairs))) {
    return other;
  }
  return best;
}

/// The Hessian for the variance that residuals have, and for what they do not tell.
Information information_of(const PointPose& pose, double caution) {
  Information information;
  const double factor = 1 / (pose.variance * caution);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      information(i, j) = factor * 0.5 *
                          (pose.hessian(static_cast<int>(i), static_cast<int>(j)) +
                           pose.hessian(static_cast<int>(j), static_cast<int>(i)));
    }
  }
  return information;
}

cv::Matx66d covariance_of(const Information& information) {
  const cv::Matx66d matrix(information.values.data());
  return matrix.inv(cv::DECOMP_CHOLESKY);
}

double sigma(const Information& information, int first) {
  const cv::Matx66d covariance = covariance_of(information);
  double sum = 0;
  for (int i = first; i < first + 3; ++i) sum += covariance(i, i);
  return std::sqrt(sum);
}

/// How far the points of the inliers are from where they are seen, in pixels.
double error_px(const PointPose& pose, const std::vector<PointPair>& pairs,
                const Calibration& calibration) {
  double sum = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pose.inliers[i] == 0) continue;
    const PointPair& pair = pairs[i];
    const bool from_a = pair.inverse_a > 0;
    const cv::Vec3d point =
        from_a ? pose.rotation * pair.ray_a + pair.inverse_a * pose.translation
               : pose.rotation.t() * (pair.ray_b - pair.inverse_b * pose.translation);
    const cv::Vec3d& seen = from_a ? pair.ray_b : pair.ray_a;
    sum += std::pow((point[0] / point[2] - seen[0]) * calibration.fx, 2) +
           std::pow((point[1] / point[2] - seen[1]) * calibration.fy, 2);
  }
  return std::sqrt(sum / (2 * static_cast<double>(std::max<std::size_t>(1, pose.inlier_count))));
}

}  // namespace

double MetricPose::sigma_m() const {
  return sigma(match_from_query.information, 0);
}

double MetricPose::sigma_deg() const {
  return sigma(match_from_query.information, 3) * 180 / std::numbers::pi;
}

std::optional<MetricPose> metric_pose(const Features& query, const Features& match,
                                      std::span<const Correspondence> correspondences,
                                      const Calibration& calibration,
                                      const MetricPoseOptions& options) {
  return metric_pose(query, {}, match, {}, correspondences, calibration, options);
}

std::optional<MetricPose> metric_pose(const Features& query, std::span<const float> query_sigmas,
                                      const Features& match, std::span<const float> match_sigmas,
                                      std::span<const Correspondence> correspondences,
                                      const Calibration& calibration,
                                      const MetricPoseOptions& options) {
  check_options(options, calibration);
  check(query);
  check(match);
  check_sigmas(query_sigmas, query);
  check_sigmas(match_sigmas, match);
  const std::vector<PointPair> pairs =
      pairs_of({query, query_sigmas, calibration, options},
               {match, match_sigmas, calibration, options}, correspondences);
  if (pairs.size() < options.min_inliers) return std::nullopt;
  std::optional<PointPose> pose = start(pairs, options, calibration);
  if (!pose || !detail::refine(*pose, pairs)) return std::nullopt;
  const auto fewest = std::max(static_cast<double>(options.min_inliers),
                               options.min_inlier_ratio * static_cast<double>(pairs.size()));
  if (static_cast<double>(pose->inlier_count) < fewest) return std::nullopt;
  MetricPose result;
  std::copy_n(pose->rotation.val, 9, result.match_from_query.pose.rotation.begin());
  std::copy_n(pose->translation.val, 3, result.match_from_query.pose.translation.begin());
  result.match_from_query.information = information_of(*pose, options.caution);
  result.inliers = pose->inlier_count;
  result.error_px = error_px(*pose, pairs, calibration);
  const double metres = result.sigma_m();
  const double radians = sigma(result.match_from_query.information, 3);
  if (!(metres > 0 && metres < kMostMetres && radians > 0 && radians < kMostRadians)) {
    return std::nullopt;
  }
  return result;
}

void add_scale_uncertainty(MeasuredPose& measured, double scale_sigma) {
  require(scale_sigma >= 0 && std::isfinite(scale_sigma), ErrorKind::invalid_argument,
          "expected a scale_sigma of 0 or more, found another");
  if (scale_sigma == 0) return;
  // The translation stretches along itself: in the frame of the query, R' t.
  const Pose& pose = measured.pose;
  const cv::Matx33d rotation(pose.rotation.data());
  const cv::Vec3d along =
      rotation.t() * cv::Vec3d(pose.translation[0], pose.translation[1], pose.translation[2]);
  cv::Matx66d covariance = covariance_of(measured.information);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) covariance(i, j) += scale_sigma * scale_sigma * along[i] * along[j];
  }
  const cv::Matx66d information = covariance.inv(cv::DECOMP_CHOLESKY);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      measured.information(i, j) = 0.5 * (information(static_cast<int>(i), static_cast<int>(j)) +
                                          information(static_cast<int>(j), static_cast<int>(i)));
    }
  }
}

}  // namespace looptree
