// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/detect/metric_pose.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/squared_error.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

constexpr Calibration kCamera{400, 410, 320, 240};

/// Two views of random points, with noise as the options say and some matched wrongly.
struct MadeViews {
  Features query;
  Features match;
  std::vector<Correspondence> correspondences;
  Pose match_from_query;
};

struct MadeOptions {
  std::size_t points = 150;
  std::size_t wrong = 0;
  double keypoint_sigma_px = 0.7;
  double inverse_depth_sigma = 0.002;
  bool depth_in_query = true;
  bool depth_in_match = true;
};

Features empty_features() {
  Features features;
  features.descriptors = {DescriptorType::binary, 32, {}, {}};
  features.width = 640;
  features.height = 480;
  return features;
}

MadeViews make_views(std::uint32_t seed, const MadeOptions& options) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> even(0, 1);
  MadeViews views{empty_features(), empty_features(), {}, {}};
  views.match_from_query.rotation =
      rotation_about({0.1 * normal(random), 0.2 * normal(random), 0.05 * normal(random)});
  for (double& t : views.match_from_query.translation) t = 0.5 * normal(random);
  const auto add = [&](Features& to, const std::array<double, 3>& p, bool depth) {
    to.keypoints.push_back({.x = static_cast<float>(kCamera.fx * p[0] / p[2] + kCamera.cx +
                                                    options.keypoint_sigma_px * normal(random)),
                            .y = static_cast<float>(kCamera.fy * p[1] / p[2] + kCamera.cy +
                                                    options.keypoint_sigma_px * normal(random))});
    to.descriptors.bytes.resize(32 * to.keypoints.size());
    const double inverse = 1 / p[2] + options.inverse_depth_sigma * normal(random);
    if (depth) to.inverse_depths.push_back(static_cast<float>(std::max(0.0, inverse)));
  };
  while (views.query.size() < options.points) {
    const double z = 3 + 25 * even(random);
    const std::array<double, 3> p{(even(random) - 0.5) * 1.4 * z, (even(random) - 0.5) * z, z};
    const Pose there = compose(views.match_from_query, Pose{{1, 0, 0, 0, 1, 0, 0, 0, 1}, p});
    if (there.translation[2] < 1) continue;
    const auto row = static_cast<std::uint32_t>(views.query.size());
    add(views.query, p, options.depth_in_query);
    add(views.match, there.translation, options.depth_in_match);
    views.correspondences.push_back({row, row, 0, 0});
  }
  for (std::size_t i = 0; i < options.wrong; ++i) {
    views.correspondences[i].match =
        static_cast<std::uint32_t>((i + 1 + random() % (options.points - 1)) % options.points);
  }
  return views;
}

TEST(MetricPose, OfExactPointsIsExact) {
  for (const bool in_query : {true, false}) {
    const MadeViews views = make_views(3, {.keypoint_sigma_px = 0,
                                           .inverse_depth_sigma = 0,
                                           .depth_in_query = in_query,
                                           .depth_in_match = !in_query});
    const auto found = metric_pose(views.query, views.match, views.correspondences, kCamera);
    ASSERT_TRUE(found);
    EXPECT_LT(distance(found->match_from_query.pose, views.match_from_query), 1e-4);
    EXPECT_LT(angle_deg(found->match_from_query.pose, views.match_from_query), 1e-2);
    EXPECT_EQ(found->inliers, views.correspondences.size());
  }
}

TEST(MetricPose, FindsItsWayThroughWrongCorrespondences) {
  const MadeViews views = make_views(5, {.points = 200, .wrong = 80});
  const auto found = metric_pose(views.query, views.match, views.correspondences, kCamera);
  ASSERT_TRUE(found);
  EXPECT_LT(distance(found->match_from_query.pose, views.match_from_query), 0.1);
  EXPECT_GE(found->inliers, 110U);
  EXPECT_LT(found->inliers, 130U);
}

/// The mean of chi-square over its degrees of freedom: 1 for an honest information.
double mean_chi_square(const MadeOptions& made, const MetricPoseOptions& options) {
  double sum = 0;
  constexpr std::uint32_t kViews = 60;
  for (std::uint32_t seed = 0; seed < kViews; ++seed) {
    const MadeViews views = make_views(100 + seed, made);
    const auto found =
        metric_pose(views.query, views.match, views.correspondences, kCamera, options);
    if (!found) {
      ADD_FAILURE() << "no pose for seed " << seed;
      continue;
    }
    sum += squared_error(found->match_from_query, views.match_from_query) / 6;
  }
  return sum / kViews;
}

TEST(MetricPose, ErrorsFollowTheInformation) {
  const MetricPoseOptions plain{.caution = 1};
  for (const MadeOptions& made :
       {MadeOptions{}, MadeOptions{.depth_in_match = false}, MadeOptions{.depth_in_query = false},
        MadeOptions{.points = 60, .wrong = 15}}) {
    const double mean = mean_chi_square(made, plain);
    EXPECT_GT(mean, 0.7);
    EXPECT_LT(mean, 1.4);
  }
  // And where all is twice as bad as it says, since residuals tell.
  const double rough =
      mean_chi_square({.keypoint_sigma_px = 1.4, .inverse_depth_sigma = 0.004}, plain);
  EXPECT_GT(rough, 0.7);
  EXPECT_LT(rough, 1.4);
}

TEST(MetricPose, SameInputSameAnswer) {
  const MadeViews views = make_views(8, {.wrong = 40});
  const auto once = metric_pose(views.query, views.match, views.correspondences, kCamera);
  const auto again = metric_pose(views.query, views.match, views.correspondences, kCamera);
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->match_from_query, again->match_from_query);
}

TEST(MetricPose, NothingWhereTooFewAgree) {
  const MadeViews noise = make_views(9, {.points = 60, .wrong = 60});
  EXPECT_FALSE(metric_pose(noise.query, noise.match, noise.correspondences, kCamera));
  const MadeViews blind = make_views(9, {.depth_in_query = false, .depth_in_match = false});
  EXPECT_FALSE(metric_pose(blind.query, blind.match, blind.correspondences, kCamera));
  const MadeViews few = make_views(9, {.points = 10});
  EXPECT_FALSE(metric_pose(few.query, few.match, few.correspondences, kCamera));
}

TEST(MetricPose, PointsInOnePlaceLeaveItOpen) {
  MadeViews views = make_views(9, {});
  for (Features* features : {&views.query, &views.match}) {
    for (Keypoint& point : features->keypoints) point = {.x = 100, .y = 100};
    for (float& depth : features->inverse_depths) depth = 0.1F;
  }
  EXPECT_FALSE(metric_pose(views.query, views.match, views.correspondences, kCamera));
}

TEST(MetricPose, ScaleUncertaintyWidensAlongTheTranslation) {
  MeasuredPose measured{{rotation_about({0.1, 0.2, 0.3}), {3, 0, 4}},
                        Information::from_sigmas(0.1, 0.01)};
  add_scale_uncertainty(measured, 0.1);
  // 5 m, 10% of them, and 0.1 m in any direction.
  const Pose shifted{measured.pose.rotation, {3.6, 0, 4.8}};
  EXPECT_NEAR(squared_error(measured, shifted), 1 / 0.26, 1e-6);
  const Pose across{measured.pose.rotation, {3, 0.2, 4}};
  EXPECT_NEAR(squared_error(measured, across), 4, 1e-6);
}

TEST(MetricPose, SaysWhatItExpected) {
  const MadeViews views = make_views(1, {});
  const auto refused = [&](const char* what, const MetricPoseOptions& options) {
    test::expect_error(ErrorKind::invalid_argument, what, [&] {
      metric_pose(views.query, views.match, views.correspondences, kCamera, options);
    });
  };
  refused("in their ranges", {.keypoint_sigma_px = 0});
  refused("in their ranges", {.inverse_depth_sigma = std::numeric_limits<double>::quiet_NaN()});
  refused("in their ranges", {.min_inliers = 3});
  refused("in their ranges", {.caution = 0.5});
  const std::vector<Correspondence> outside{{150, 0, 0, 0}};
  test::expect_error(ErrorKind::invalid_argument, "rows that are there",
                     [&] { metric_pose(views.query, views.match, outside, kCamera); });
  const std::vector<float> sigmas(3, 0.1F);
  test::expect_error(ErrorKind::invalid_argument, "one per keypoint", [&] {
    metric_pose(views.query, sigmas, views.match, {}, views.correspondences, kCamera);
  });
  Features damaged = views.query;
  damaged.inverse_depths[3] = -1;
  test::expect_error(ErrorKind::invalid_argument, "at least 0",
                     [&] { metric_pose(damaged, views.match, views.correspondences, kCamera); });
}

}  // namespace
}  // namespace looptree
