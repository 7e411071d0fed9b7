// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/verification.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <span>
#include <utility>

#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>

#include "looptree/common/camera.hpp"
#include "looptree/common/error.hpp"
#include "looptree/common/require_number.hpp"
#include "looptree/features/balance.hpp"

namespace looptree {
namespace {

/// Fewer correspondences than this fit some epipolar geometry by chance.
constexpr std::size_t kFewestPairs = 8;
/// Of points with less parallax than so many times the largest error nobody knows on which side of
/// infinity they lie.
constexpr double kParallaxErrors = 1.5;

void check_options(const VerificationOptions& options) {
  require_number(options.max_error_px > 0, "max_error_px above 0", options.max_error_px);
  require_number(options.confidence > 0 && options.confidence < 1, "a confidence between 0 and 1",
                 options.confidence);
  require(options.max_iterations >= 1, ErrorKind::invalid_argument,
          "expected at least one iteration, found 0");
  require(options.probe.iterations >= 1, ErrorKind::invalid_argument,
          "expected at least one iteration of the first look, found 0");
}

cv::UsacParams usac(const VerificationOptions& options) {
  cv::UsacParams params;
  params.confidence = options.confidence;
  params.isParallel = false;  // the parallel form is not deterministic
  params.loIterations = 5;
  params.loMethod = cv::LOCAL_OPTIM_INNER_AND_ITER_LO;
  params.loSampleSize = 14;
  params.maxIterations = static_cast<int>(options.max_iterations);
  params.randomGeneratorState = static_cast<int>(options.seed);
  params.sampler = cv::SAMPLING_PROSAC;  // correspondences come clearest first
  params.score = cv::SCORE_METHOD_MAGSAC;
  params.threshold = options.max_error_px;
  return params;
}

struct Points {
  std::vector<cv::Point2f> query;
  std::vector<cv::Point2f> match;
};

/// Where a pinhole would show it.
cv::Point2f seen_straight(const Keypoint& keypoint, const std::optional<Calibration>& calibration) {
  if (!calibration || calibration->lens == LensModel::pinhole) return {keypoint.x, keypoint.y};
  const auto [x, y] = undistort(*calibration, {keypoint.x, keypoint.y});
  return {static_cast<float>(x), static_cast<float>(y)};
}

Points points_of(const std::vector<Correspondence>& correspondences, const Features& query,
                 const Features& match, const std::optional<Calibration>& calibration) {
  Points points;
  for (const Correspondence& correspondence : correspondences) {
    points.query.push_back(seen_straight(query.keypoints[correspondence.query], calibration));
    points.match.push_back(seen_straight(match.keypoints[correspondence.match], calibration));
  }
  return points;
}

/// The epipolar geometry from query to match, and which correspondences follow it. Empty if none
/// was found.
struct Fit {
  cv::Mat model;
  std::vector<std::uint8_t> mask;
};

Fit fit_fundamental(const Points& points, const VerificationOptions& options) {
  Fit fit;
  fit.model = cv::findFundamentalMat(points.query, points.match, fit.mask, usac(options));
  return fit;
}

Fit fit_essential(const Points& points, const cv::Matx33d& camera,
                  const VerificationOptions& options) {
  Fit fit;
  fit.model = cv::findEssentialMat(points.query, points.match, camera, camera, cv::noArray(),
                                   cv::noArray(), fit.mask, usac(options));
  return fit;
}

/// The correspondences that follow the model; none if there is no model.
std::vector<Correspondence> inliers_of(const Fit& fit,
                                       const std::vector<Correspondence>& correspondences) {
  std::vector<Correspondence> inliers;
  if (fit.model.rows != 3 || fit.mask.size() != correspondences.size()) return inliers;
  for (std::size_t i = 0; i < correspondences.size(); ++i) {
    if (fit.mask[i] != 0) inliers.push_back(correspondences[i]);
  }
  return inliers;
}

/// The correspondences at one place in both images. A camera that stands where it stood, and looks
/// where it looked, has no epipolar geometry to be found; these are what it has instead.
std::vector<Correspondence> unmoved(const std::vector<Correspondence>& correspondences,
                                    const Features& query, const Features& match,
                                    const VerificationOptions& options) {
  std::vector<Correspondence> same;
  for (const Correspondence& correspondence : correspondences) {
    const Keypoint& a = query.keypoints[correspondence.query];
    const Keypoint& b = match.keypoints[correspondence.match];
    if (std::hypot(a.x - b.x, a.y - b.y) <= options.max_error_px) same.push_back(correspondence);
  }
  return same;
}

std::optional<RelativePose> relative_pose(const Fit& fit, const Points& points,
                                          const cv::Matx33d& camera) {
  cv::Matx33d rotation;
  cv::Vec3d translation;
  cv::Mat mask(fit.mask, true);
  cv::recoverPose(fit.model, points.query, points.match, camera, rotation, translation, mask);
  RelativePose pose;
  std::copy_n(rotation.val, 9, pose.rotation.begin());
  std::copy_n(translation.val, 3, pose.direction.begin());
  return pose;
}

/// Where a pinhole's pixel lies, one metre ahead of the camera.
cv::Vec3d ray_of(const cv::Point2f& pixel, const cv::Matx33d& camera) {
  return {(pixel.x - camera(0, 2)) / camera(0, 0), (pixel.y - camera(1, 2)) / camera(1, 1), 1};
}

/// Whether a point ahead of both cameras looks like this, to within an angle: its rays meet ahead
/// of both, or are so nearly parallel that it may lie at any distance.
bool may_be_ahead(const cv::Vec3d& query, const cv::Vec3d& match, const cv::Matx33d& rotation,
                  const cv::Vec3d& direction, double angle) {
  const cv::Vec3d a = cv::normalize(rotation * query);
  const cv::Vec3d b = cv::normalize(match);
  const double cosine = a.dot(b);
  if (cosine >= std::cos(angle)) return true;
  // The points of both rays that lie nearest to each other, times the squared sine between them.
  const double depth_a = cosine * b.dot(direction) - a.dot(direction);
  const double depth_b = b.dot(direction) - cosine * a.dot(direction);
  return depth_a > 0 && depth_b > 0;
}

/// Those of the inliers that may be points ahead of both cameras. A road's marks and a facade's
/// windows, mistaken for each other, lie on their epipolar lines, too, but as often as not behind.
std::vector<Correspondence> ahead(const std::vector<Correspondence>& inliers, const Points& points,
                                  const RelativePose& pose, const cv::Matx33d& camera,
                                  double max_error_px) {
  const cv::Matx33d rotation(pose.rotation.data());
  const cv::Vec3d direction(pose.direction.data());
  const double angle = kParallaxErrors * max_error_px / camera(0, 0);
  std::vector<Correspondence> kept;
  for (std::size_t i = 0; i < inliers.size(); ++i) {
    if (may_be_ahead(ray_of(points.query[i], camera), ray_of(points.match[i], camera), rotation,
                     direction, angle)) {
      kept.push_back(inliers[i]);
    }
  }
  return kept;
}

/// The share of the cells of a grid over the image that holds a point.
double coverage(const std::vector<Correspondence>& correspondences,
                const std::vector<Keypoint>& keypoints, std::uint32_t Correspondence::*side,
                int width, int height) {
  constexpr int cells = 8;
  std::bitset<static_cast<std::size_t>(cells) * cells> seen;
  for (const Correspondence& correspondence : correspondences) {
    const Keypoint& point = keypoints[correspondence.*side];
    const auto cell = [](float at, int size) {
      const auto place = static_cast<int>(at * cells / static_cast<float>(std::max(1, size)));
      return static_cast<std::size_t>(std::clamp(place, 0, cells - 1));
    };
    seen.set(cell(point.y, height) * cells + cell(point.x, width));
  }
  return static_cast<double>(seen.count()) / static_cast<double>(seen.size());
}

/// The rows of the strongest features, well spread over the image.
std::vector<std::size_t> strongest(const Features& features, std::size_t count) {
  return balanced_subset(features.keypoints, features.width, features.height, count);
}

/// Correspondences of rows that were taken, as rows of the whole.
void to_whole(std::vector<Correspondence>& correspondences, std::span<const std::size_t> query_rows,
              std::span<const std::size_t> match_rows) {
  for (Correspondence& c : correspondences) {
    c.query = static_cast<std::uint32_t>(query_rows[c.query]);
    c.match = static_cast<std::uint32_t>(match_rows[c.match]);
  }
}

void sort_by_ratio(std::vector<Correspondence>& correspondences) {
  std::stable_sort(
      correspondences.begin(), correspondences.end(),
      [](const Correspondence& a, const Correspondence& b) { return a.ratio < b.ratio; });
}

/// The first look: `at_first_sight` of correspondences that hardly agree.
Verification look(std::vector<Correspondence> pairs, const Features& query, const Features& match,
                  const std::optional<Calibration>& calibration,
                  const VerificationOptions& options) {
  Verification seen{.correspondences = pairs.size(), .at_first_sight = true};
  if (pairs.size() < std::max(kFewestPairs, options.probe.min_correspondences)) return seen;
  sort_by_ratio(pairs);
  VerificationOptions quick = options;
  quick.max_iterations = std::min(options.max_iterations, options.probe.iterations);
  seen.inliers =
      inliers_of(fit_fundamental(points_of(pairs, query, match, calibration), quick), pairs);
  const std::size_t agree =
      std::max(seen.inliers.size(), unmoved(pairs, query, match, options).size());
  seen.at_first_sight = agree < options.probe.min_inliers;
  return seen;
}

}  // namespace

Verifier::Verifier(const Features& query, const std::optional<Calibration>& calibration,
                   const VerificationOptions& options)
    : query_(&query), calibration_(calibration), options_(options) {
  check_options(options);
  check(query);
  if (options.probe.features == 0) return;
  rows_ = strongest(query, options.probe.features);
  strongest_ = take_rows(query, rows_).descriptors;
}

Verification Verifier::verify(const Features& match) const {
  check(match);
  const std::size_t few = options_.probe.features;
  if (few > 0 && (query_->size() > few || match.size() > few)) {
    const std::vector<std::size_t> rows = strongest(match, few);
    const Descriptors picked = take_rows(match, rows).descriptors;
    auto pairs = match_descriptors(strongest_.view(), picked.view(), options_.matching);
    to_whole(pairs, rows_, rows);
    Verification seen = look(std::move(pairs), *query_, match, calibration_, options_);
    if (seen.at_first_sight) return seen;
  }
  return looptree::verify(
      match_descriptors(query_->descriptors.view(), match.descriptors.view(), options_.matching),
      *query_, match, calibration_, options_);
}

Verification verify(const Features& query, const Features& match,
                    const std::optional<Calibration>& calibration,
                    const VerificationOptions& options) {
  return Verifier(query, calibration, options).verify(match);
}

Verification verify(std::vector<Correspondence> correspondences, const Features& query,
                    const Features& match, const std::optional<Calibration>& calibration,
                    const VerificationOptions& options) {
  check_options(options);
  if (calibration) check(*calibration);
  Verification result{.correspondences = correspondences.size()};
  const std::size_t fewest = std::max(kFewestPairs, options.min_correspondences);
  if (correspondences.size() < fewest) return result;
  sort_by_ratio(correspondences);
  result.inliers =
      inliers_of(fit_fundamental(points_of(correspondences, query, match, calibration), options),
                 correspondences);
  if (auto same = unmoved(correspondences, query, match, options);
      same.size() >= result.inliers.size()) {
    result.inliers = std::move(same);
  } else if (calibration && result.inliers.size() >= fewest) {
    // An essential matrix costs ten times as much per sample. Among correspondences that agree on a
    // fundamental matrix few samples are enough, and most wrong candidates have too few of them.
    const cv::Matx33d camera(calibration->fx, 0, calibration->cx, 0, calibration->fy,
                             calibration->cy, 0, 0, 1);
    const Points points = points_of(result.inliers, query, match, calibration);
    const Fit fit = fit_essential(points, camera, options);
    result.inliers = inliers_of(fit, result.inliers);
    if (!result.inliers.empty()) {
      const Points seen = points_of(result.inliers, query, match, calibration);
      result.match_from_query = relative_pose(fit, points, camera);
      result.inliers =
          ahead(result.inliers, seen, *result.match_from_query, camera, options.max_error_px);
    }
  }
  result.coverage = std::min(
      coverage(result.inliers, query.keypoints, &Correspondence::query, query.width, query.height),
      coverage(result.inliers, match.keypoints, &Correspondence::match, match.width, match.height));
  return result;
}

}  // namespace looptree
