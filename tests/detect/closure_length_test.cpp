// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Poses with length from rendered images: of closures, of closures with earlier sessions, and of a
// lost camera. They are right, and as sure as they say.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/squared_error.hpp"
#include "looptree/dataset/demo_world.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/detect/map_detector.hpp"
#include "looptree/detect/relocalize.hpp"
#include "looptree/features/keypoint_depth.hpp"
#include "looptree/vocabulary/box.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

/// Frames of the demo world's second round, and for each the nearest of the first.
struct Pair {
  std::size_t query = 0;
  std::size_t match = 0;
};

/// Images are rendered, and features extracted, once for all tests; depth as each asks for it.
class Street {
 public:
  static const Street& get() {
    static const Street street;
    return street;
  }

  SequenceInfo info;
  std::vector<Pair> pairs;

  const Pose& pose(std::size_t frame) const { return *info.frames[frame].pose; }
  Pose relative(const Pair& pair) const {
    return relative_pose(pose(pair.match), pose(pair.query));
  }

  Features features(std::size_t frame, DepthFrom depth) const {
    Features result = features_.at(frame);
    if (depth == DepthFrom::images) result.inverse_depths = exact_.at(frame);
    if (depth == DepthFrom::stereo) result.inverse_depths = stereo_.at(frame);
    return result;
  }

 private:
  Street() {
    const auto world = open_demo_world({.baseline_m = 0.5, .depth = true});
    info = world->info();
    const auto extractor = make_extractor({});
    for (std::size_t query = 205; query < 345; query += 6) {
      pairs.push_back({query, nearest(query)});
      for (const std::size_t frame : {query, pairs.back().match})
        look_at(*world, *extractor, frame);
    }
  }

  std::size_t nearest(std::size_t query) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < 195; ++i) {
      if (distance(pose(i), pose(query)) < distance(pose(best), pose(query))) best = i;
    }
    return best;
  }

  void look_at(Sequence& world, const FeatureExtractor& extractor, std::size_t frame) {
    if (features_.contains(frame)) return;
    const Image image = world.image(frame);
    const Features& found = features_[frame] = extractor.extract(image);
    exact_[frame] = inverse_depths_from_image(world.depth_image(frame, image), found.keypoints);
    stereo_[frame] =
        inverse_depths_from_stereo(image, world.right_image(frame, image), found.keypoints,
                                   {info.calibration->fx, *info.baseline_m});
  }

  std::map<std::size_t, Features> features_;
  std::map<std::size_t, std::vector<float>> exact_;
  std::map<std::size_t, std::vector<float>> stereo_;
};

double middle(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values.empty() ? std::numeric_limits<double>::infinity() : values[values.size() / 2];
}

/// Collects errors, and expects of them what docs/graph.md promises.
class Errors {
 public:
  void add(const MeasuredPose& found, const Pose& truth, double between_m) {
    // 2% of the distance or 2 cm, whichever is more.
    metres_.push_back(distance(found.pose, truth) / std::max(0.02, 0.02 * between_m));
    degrees_.push_back(angle_deg(found.pose, truth));
    squared_.push_back(squared_error(found, truth));
  }
  std::size_t size() const { return metres_.size(); }
  void expect_small_and_honest() const {
    EXPECT_LT(middle(metres_), 1);
    EXPECT_LT(middle(degrees_), 0.2);
    EXPECT_GT(middle(squared_) / kMedianSquaredError, 0.5);
    EXPECT_LT(middle(squared_) / kMedianSquaredError, 2);
  }

 private:
  std::vector<double> metres_;
  std::vector<double> degrees_;
  std::vector<double> squared_;
};

class LengthFrom : public ::testing::TestWithParam<DepthFrom> {
 protected:
  double sigma() const {
    return GetParam() == DepthFrom::images
               ? street.info.inverse_depth_sigma
               : StereoRig{street.info.calibration->fx, *street.info.baseline_m}
                     .inverse_depth_sigma();
  }
  const Street& street = Street::get();
};

TEST_P(LengthFrom, GivesClosuresTheirPose) {
  ClosurePoseOptions options;
  options.pose.inverse_depth_sigma = sigma();
  const FrameSource no_neighbours{[](FrameId) { return std::nullopt; },
                                  [](FrameId) { return std::nullopt; }};
  Errors errors;
  for (const Pair& pair : street.pairs) {
    const Features query = street.features(pair.query, GetParam());
    const Features match = street.features(pair.match, GetParam());
    const auto found =
        closure_pose(no_neighbours, {query}, {match}, verify(query, match, street.info.calibration),
                     *street.info.calibration, options);
    if (!found) continue;
    const Pose truth = street.relative(pair);
    errors.add(found->match_from_query, truth, distance({}, truth));
  }
  EXPECT_GT(errors.size(), street.pairs.size() * 9 / 10);
  errors.expect_small_and_honest();
}

TEST_P(LengthFrom, GivesClosuresWithEarlierSessionsTheirPoseAndALostCameraIts) {
  const test::TemporaryFolder folder;
  const Vocabulary vocabulary = box_vocabulary("orb");
  auto map = std::make_shared<Map>(
      Map::create(folder / "city.map", {{.hash = vocabulary.content_hash(),
                                         .words = static_cast<std::uint32_t>(vocabulary.size())}}));
  LoopDetectorOptions options;
  options.calibration = street.info.calibration;
  options.closure_pose.pose.inverse_depth_sigma = sigma();
  {
    LoopDetector monday = make_map_detector(map, vocabulary, "monday", options);
    for (const Pair& pair : street.pairs) {
      monday.process_frame(street.features(pair.match, GetParam()),
                           {.pose = street.pose(pair.match)});
    }
  }
  // The camera comes without depth: what the map keeps is enough.
  RelocalizeOptions lost;
  lost.calibration = street.info.calibration;
  lost.pose = options.closure_pose;
  Errors of_lost;
  for (const Pair& pair : street.pairs) {
    const auto found =
        relocalize(*map, vocabulary, street.features(pair.query, DepthFrom::nothing), lost);
    if (found.empty() || !found[0].pose) continue;
    const Pose frame = *map->info(found[0].frame)->pose;
    of_lost.add(*found[0].pose, street.pose(pair.query), distance(frame, street.pose(pair.query)));
  }
  EXPECT_GT(of_lost.size(), street.pairs.size() * 9 / 10);
  of_lost.expect_small_and_honest();

  LoopDetector tuesday = make_map_detector(map, vocabulary, "tuesday", options);
  for (const Pair& pair : street.pairs) {
    tuesday.process_frame(street.features(pair.query, GetParam()),
                          {.pose = street.pose(pair.query)});
  }
  Errors between;
  for (const MapClosure& closure : map->closures()) {
    ASSERT_TRUE(closure.pose && closure.pose->information);
    if (!closure.pose->metric) continue;
    const Pose truth =
        relative_pose(*map->info(closure.match)->pose, *map->info(closure.query)->pose);
    between.add({closure.pose->match_from_query, *closure.pose->information}, truth,
                distance({}, truth));
  }
  EXPECT_GT(between.size(), street.pairs.size() * 9 / 10);
  between.expect_small_and_honest();
}

INSTANTIATE_TEST_SUITE_P(Closures, LengthFrom,
                         ::testing::Values(DepthFrom::images, DepthFrom::stereo),
                         [](const auto& test) {
                           return test.param == DepthFrom::images ? "DepthImages" : "TwoCameras";
                         });

}  // namespace
}  // namespace looptree
