// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Verification and the whole detector, on the demo world. The last test is the quality floor.
#include "looptree/detect/loop_detector.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "looptree/dataset/demo_world.hpp"
#include "looptree/dataset/feature_stream.hpp"
#include "looptree/vocabulary/training.hpp"

#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;

/// The demo world with its features and a vocabulary, made once for all tests here.
struct World {
  SequenceInfo info;
  std::vector<Features> features;
  std::optional<Vocabulary> vocabulary;

  static const World& get() {
    static const World world = make();
    return world;
  }

  static World make() {
    World world;
    const auto sequence = open_demo_world();
    world.info = sequence->info();
    const auto extractor = make_extractor();
    FeatureStream stream(*sequence, *extractor);
    while (auto frame = stream.next()) world.features.push_back(std::move(frame->features));
    world.vocabulary = train(world.features, 5);
    return world;
  }

  static Vocabulary train(const std::vector<Features>& frames, std::size_t depth) {
    std::vector<std::uint8_t> rows;
    std::vector<std::size_t> rows_per_image;
    for (std::size_t i = 0; i < frames.size(); i += 3) {
      const auto& bytes = frames[i].descriptors.bytes;
      rows.insert(rows.end(), bytes.begin(), bytes.end());
      rows_per_image.push_back(frames[i].size());
    }
    TrainOptions options;
    options.depth = depth;
    return train_vocabulary(DescriptorView(rows.data(), rows.size() / 32, 32), rows_per_image,
                            options);
  }
};

/// query_from_match by the true poses: rotation and unit direction of the query in the match.
RelativePose true_pose(const Pose& query, const Pose& match) {
  RelativePose result;
  double length = 0;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      result.rotation[3 * r + c] = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        result.rotation[3 * r + c] += match.rotation[3 * k + r] * query.rotation[3 * k + c];
      }
      result.direction[r] +=
          match.rotation[3 * c + r] * (query.translation[c] - match.translation[c]);
    }
    length += result.direction[r] * result.direction[r];
  }
  for (double& d : result.direction) d /= std::sqrt(length);
  return result;
}

TEST(Verify, FindsTheRelativePoseOfTwoViews) {
  const World& world = World::get();
  for (const auto& [i, j] : {std::pair{225, 25}, {230, 33}, {280, 76}}) {
    const Verification v = verify(world.features[i], world.features[j], world.info.calibration, {});
    EXPECT_GT(v.inliers.size(), 60) << i;
    EXPECT_GT(v.coverage, 0.1);
    ASSERT_TRUE(v.match_from_query);
    const RelativePose truth = true_pose(*world.info.frames[i].pose, *world.info.frames[j].pose);
    EXPECT_LT(angle_deg({v.match_from_query->rotation, {}}, {truth.rotation, {}}), 3) << i;
    double cosine = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      cosine += v.match_from_query->direction[k] * truth.direction[k];
    }
    EXPECT_GT(cosine, 0.9) << i;
  }
}

TEST(Verify, RefusesAnotherPlaceAndGivesTheSameAnswerTwice) {
  const World& world = World::get();
  const auto run = [&](std::size_t i, std::size_t j) {
    return verify(world.features[i], world.features[j], world.info.calibration, {});
  };
  EXPECT_LT(run(20, 120).inliers.size(), 20);
  EXPECT_LT(run(50, 400).inliers.size(), 20);
  EXPECT_EQ(run(225, 25).inliers, run(225, 25).inliers);
  const Verification uncalibrated = verify(world.features[225], world.features[25], {}, {});
  EXPECT_GT(uncalibrated.inliers.size(), 60);
  EXPECT_FALSE(uncalibrated.match_from_query);
}

TEST(Verify, AFirstLookChangesNoAnswerThatItLetsThrough) {
  const World& world = World::get();
  VerificationOptions thorough;
  thorough.probe.features = 0;
  std::size_t refused = 0;
  for (std::size_t i = 200; i < 300; i += 4) {
    for (const std::size_t j : {i - 200, i - 100, i + 200}) {
      const auto& camera = world.info.calibration;
      const Verification seen = verify(world.features[i], world.features[j], camera, {});
      const Verification whole = verify(world.features[i], world.features[j], camera, thorough);
      EXPECT_FALSE(whole.at_first_sight);
      if (seen.at_first_sight) {
        ++refused;
        EXPECT_LT(whole.inliers.size(), 25) << i << ", " << j;
        EXPECT_LT(seen.correspondences, whole.correspondences);
        for (const Correspondence& c : seen.inliers) {
          EXPECT_LT(c.query, world.features[i].size());
          EXPECT_LT(c.match, world.features[j].size());
        }
      } else {
        EXPECT_EQ(seen.inliers, whole.inliers);
        EXPECT_EQ(seen.coverage, whole.coverage);
      }
    }
  }
  EXPECT_GT(refused, 40U) << "of 50 pairs of other places";
}

TEST(Evidence, AsksForMoreWhereLessIsKnown) {
  Verification found{.correspondences = 50, .coverage = 0.3};
  found.inliers.resize(30);
  const Evidence evidence;
  EXPECT_TRUE(judge(found, evidence, true, true).believed);
  const Judgement at_first_sight = judge(found, evidence, true, false);
  EXPECT_TRUE(at_first_sight.verified);
  EXPECT_FALSE(at_first_sight.believed);
  EXPECT_EQ(at_first_sight.needed_inliers, 40U);
  EXPECT_EQ(judge(found, evidence, false, true).needed_inliers, 57U) << "2.25 x 25";
  EXPECT_FALSE(judge(found, evidence, false, true).verified);
  found.coverage = 0.14;  // thin
  EXPECT_EQ(judge(found, evidence, true, true).needed_inliers, 50U);
  EXPECT_FALSE(judge(found, evidence, true, true).verified);
  found.inliers.resize(50);
  EXPECT_TRUE(judge(found, evidence, true, true).believed);
  found.coverage = 0.1;
  EXPECT_FALSE(judge(found, evidence, true, true).verified);
  found.coverage = 0.3;
  found.correspondences = 300;
  EXPECT_FALSE(judge(found, evidence, true, true).verified) << "a sixth of what matched";
  for (const auto kind : {FeatureKind::orb, FeatureKind::brief, FeatureKind::akaze,
                          FeatureKind::sift, FeatureKind::learned, FeatureKind::onnx}) {
    EXPECT_NO_THROW(check(default_evidence(kind).evidence));
  }
}

/// Features at given points whose descriptors match one to one.
Features features_at(const std::vector<std::pair<float, float>>& points) {
  std::mt19937 random(8);
  Features features;
  features.width = 640;
  features.height = 480;
  for (const auto& [x, y] : points) {
    features.keypoints.push_back({x, y});
    for (int i = 0; i < 32; ++i) {
      features.descriptors.bytes.push_back(static_cast<std::uint8_t>(random()));
    }
  }
  return features;
}

TEST(Verify, SurvivesDegenerateGeometry) {
  const Calibration calibration{500, 500, 320, 240};
  std::vector<std::pair<float, float>> one(40, {100.0F, 100.0F});
  std::vector<std::pair<float, float>> line;
  for (int i = 0; i < 40; ++i) line.emplace_back(static_cast<float>(10 * i), 50.0F);
  for (const auto& points :
       {one, line, std::vector<std::pair<float, float>>(one.begin(), one.begin() + 8)}) {
    for (const std::optional<Calibration>& camera : {std::optional<Calibration>(), {calibration}}) {
      const Features features = features_at(points);
      EXPECT_NO_THROW(verify(features, features, camera, {}));
    }
  }
  const Features none;
  EXPECT_EQ(verify(none, none, calibration, {}).correspondences, 0);
}

TEST(LoopDetector, ChecksOptionsAndFeatures) {
  const World& world = World::get();
  const auto make = [&](auto change) {
    LoopDetectorOptions options;
    change(options);
    LoopDetector detector(*world.vocabulary, options);
  };
  using Options = LoopDetectorOptions;
  expect_error(ErrorKind::invalid_argument, "threshold",
               [&] { make([](Options& o) { o.threshold = 2; }); });
  expect_error(ErrorKind::invalid_argument, "top_k",
               [&] { make([](Options& o) { o.top_k = 0; }); });
  expect_error(ErrorKind::invalid_argument, "sure_inliers",
               [&] { make([](Options& o) { o.evidence.sure_inliers = 1; }); });
  expect_error(ErrorKind::invalid_argument, "focal",
               [&] { make([](Options& o) { o.calibration = Calibration{}; }); });
  LoopDetector detector(*world.vocabulary);
  Features bad = world.features[0];
  bad.keypoints.pop_back();
  expect_error(ErrorKind::invalid_argument, "one descriptor per keypoint",
               [&] { detector.process(bad); });
  Features wide;
  wide.keypoints.resize(1);
  wide.descriptors.width = 64;
  wide.descriptors.bytes.resize(64);
  EXPECT_THROW(detector.process(wide), Error);
  EXPECT_EQ(detector.index().size(), 0);
}

TEST(LoopDetector, CountsProcessorTimeWhereAsked) {
  const World& world = World::get();
  LoopDetector wall(*world.vocabulary);
  LoopDetector processor(*world.vocabulary, {.stage_clock = StageClock::processor});
  for (std::size_t i = 0; i < 3; ++i) {
    const Detection a = wall.process(world.features[i]);
    const Detection b = processor.process(world.features[i]);
    EXPECT_GT(a.times.total_ms(), 0);
    EXPECT_GT(b.times.total_ms(), 0);
    EXPECT_EQ(a.decision, b.decision);
  }
}

TEST(LoopDetector, GoesOnAfterFramesWithoutFeatures) {
  const World& world = World::get();
  LoopDetector detector(*world.vocabulary, {.exclude_recent = 0});
  EXPECT_EQ(detector.process(world.features[0]).frame.id, FrameId(0));
  const Detection empty = detector.process(Features{});
  EXPECT_EQ(empty.decision, Decision::no_features);
  EXPECT_EQ(empty.frame.number, 1u) << "it is counted";
  EXPECT_FALSE(empty.frame.id) << "but not inserted";
  const Detection again = detector.process(world.features[0]);
  EXPECT_EQ(again.decision, Decision::closure) << again.explain();
  EXPECT_EQ(again.frame.number, 2u);
  EXPECT_EQ(again.frame.id, FrameId(1));
  EXPECT_EQ(again.match->number, 0u);
  EXPECT_EQ(again.match->id, FrameId(0));
  EXPECT_EQ(detector.features(FrameId(1)).size(),
            std::min(world.features[0].size(), StoredFeatures().max_per_frame));
  expect_error(ErrorKind::not_found, "below 2", [&] { detector.features(FrameId(2)); });
}

TEST(DetectorMemory, KeepsSoManyFramesAndFeatures) {
  const auto memory = keep_in_memory(IndexOptions{10}, {.max_per_frame = 2}, 3);
  Features features;
  features.width = features.height = 100;
  features.descriptors = {DescriptorType::binary, 1, {}, {}};
  for (int i = 0; i < 5; ++i) {
    const auto at = static_cast<float>(20 * i);
    features.keypoints.push_back({at, at, 31, 90, at, 1});
    features.descriptors.bytes.push_back(static_cast<std::uint8_t>(i));
    features.inverse_depths.push_back(0.1F * static_cast<float>(i));
  }
  for (std::uint32_t i = 0; i < 5; ++i) {
    FrameInfo info{.name = std::to_string(i), .thumbnail = {1, 2, 3}};
    EXPECT_EQ(memory->insert(Histogram({WordId{i}}, {1}), features, info), FrameId{i});
  }
  EXPECT_EQ(memory->index()->size(), 3u);
  EXPECT_FALSE(memory->index()->contains(FrameId{1}));
  expect_error(ErrorKind::not_found, "from 2 on and below 5, found 1",
               [&] { memory->features(FrameId{1}); });
  EXPECT_EQ(memory->info(FrameId{1}), std::nullopt);
  EXPECT_EQ(memory->info(FrameId{4})->name, "4");
  EXPECT_TRUE(memory->info(FrameId{4})->thumbnail.empty());
  const Features kept = memory->features(FrameId{3});
  const Features chosen = choose_features(features, {.max_per_frame = 2});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept.descriptors.bytes, chosen.descriptors.bytes);
  EXPECT_EQ(kept.inverse_depths, chosen.inverse_depths);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(kept.keypoints[i].x, chosen.keypoints[i].x);
    EXPECT_EQ(kept.keypoints[i].y, chosen.keypoints[i].y);
    EXPECT_EQ(kept.keypoints[i].size, 1);
  }
  const auto whole = keep_in_memory(IndexOptions{10}, {.details = true});
  whole->insert(Histogram({WordId{1}}, {1}), features, {});
  EXPECT_EQ(whole->features(FrameId{0}).keypoints, features.keypoints);
  expect_error(ErrorKind::invalid_argument, "at least 1 frame",
               [] { keep_in_memory(IndexOptions{10}, {}, 0); });
}

TEST(LoopDetector, FramesKeepTheirNumberNameAndTime) {
  const World& world = World::get();
  const LoopDetectorOptions options{.exclude_recent = 0,
                                    .stored_features = {.max_per_frame = 2000}};
  LoopDetector plain(*world.vocabulary, options);
  LoopDetector numbered(*world.vocabulary, options);
  // Six black images in front: what comes later is not called by how many were inserted.
  const auto extractor = make_extractor();
  for (int i = 0; i < 6; ++i) {
    const Detection black = plain.process(extractor->extract(Image(640, 360)));
    EXPECT_EQ(black.decision, Decision::no_features);
    EXPECT_EQ(black.frame.number, static_cast<std::uint64_t>(i));
    EXPECT_FALSE(black.frame.id);
  }
  for (const std::size_t i : {20, 21, 225}) {
    const std::string name = "left/" + std::to_string(i) + ".png";
    const Detection counted = plain.process(world.features[i]);
    const Detection named = numbered.process_frame(
        world.features[i], {.time_s = 0.1 * static_cast<double>(i), .name = name, .number = 2 * i});
    EXPECT_EQ(named.frame.number, 2 * i);
    EXPECT_EQ(named.frame.name, name);
    if (i < 225) continue;
    ASSERT_TRUE(counted.is_closure() && named.is_closure()) << counted.explain();
    EXPECT_EQ(counted.frame.number, 8u);
    const std::uint64_t seen = *counted.match->id == FrameId(0) ? 20 : 21;
    EXPECT_EQ(counted.match->number, seen - 20 + 6);
    EXPECT_NE(counted.explain().find("closure with frame " + std::to_string(seen - 14) + ":"),
              std::string::npos)
        << counted.explain();
    EXPECT_EQ(named.match->number, 2 * seen);
    EXPECT_EQ(named.match->name, "left/" + std::to_string(seen) + ".png");
    EXPECT_EQ(named.match->time_s, 0.1 * static_cast<double>(seen));
    EXPECT_EQ(named.match->id, counted.match->id);
    EXPECT_FALSE(named.match->earlier_session);
    EXPECT_NE(named.explain().find("frame " + std::to_string(2 * seen) + " (left/"),
              std::string::npos)
        << named.explain();
  }
  EXPECT_EQ(plain.find(6), FrameId(0));
  EXPECT_EQ(plain.find(0), std::nullopt) << "black, and not inserted";
  EXPECT_EQ(plain.find(9), std::nullopt);
  EXPECT_EQ(numbered.find(450), FrameId(2));
  EXPECT_EQ(numbered.process(world.features[30]).frame.number, 451u) << "one more than the last";
}

TEST(LoopDetector, FindsFramesByNumbersInAnyOrder) {
  const World& world = World::get();
  LoopDetector detector(*world.vocabulary);
  for (const std::uint64_t number : {70, 10, 30, 10}) {
    detector.process_frame(world.features[number], {.number = number});
  }
  EXPECT_EQ(detector.find(70), FrameId(0));
  EXPECT_EQ(detector.find(10), FrameId(3)) << "the newest";
  EXPECT_EQ(detector.find(30), FrameId(2));
  EXPECT_EQ(detector.find(20), std::nullopt);
}

TEST(LoopDetector, KeepsOnlyKeyframes) {
  const World& world = World::get();
  LoopDetector detector(*world.vocabulary, {}, select_by_motion(5, 45));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const Detection detection = detector.process(world.features[i], world.info.frames[i].pose);
    kept += detection.frame.id ? 1 : 0;
    EXPECT_EQ(detection.frame.number, i) << "kept or not";
    EXPECT_EQ(detection.decision == Decision::not_keyframe, !detection.frame.id);
  }
  EXPECT_EQ(kept, detector.index().size());
  EXPECT_NEAR(static_cast<double>(kept), 40 * 0.9 / 5, 2);
}

TEST(LoopDetector, ExplainsEveryRefusal) {
  const World& world = World::get();
  const auto decide = [&](const LoopDetectorOptions& options) {
    LoopDetector detector(*world.vocabulary, options);
    for (std::size_t i = 20; i < 30; ++i) detector.process(world.features[i]);
    return detector.process(world.features[225]);
  };
  Detection d = decide({.exclude_recent = 0});
  EXPECT_TRUE(d.is_closure()) << d.explain();
  EXPECT_NE(d.explain().find("closure with frame"), std::string::npos);

  d = decide({.exclude_recent = 10});
  EXPECT_EQ(d.decision, Decision::no_candidate);
  EXPECT_NE(d.explain().find("refused by score"), std::string::npos);

  d = decide({.exclude_recent = 0, .evidence = {.min_inliers = 2000, .sure_inliers = 2000}});
  EXPECT_EQ(d.decision, Decision::not_verified);
  EXPECT_NE(d.explain().find("refused by geometry: frame"), std::string::npos);
  EXPECT_NE(d.explain().find("4500 needed"), std::string::npos) << "2.25 x 2000, uncalibrated";

  d = decide({.exclude_recent = 0, .consistent_queries = 50, .evidence = {.sure_inliers = 2000}});
  EXPECT_EQ(d.decision, Decision::not_consistent);
  EXPECT_NE(d.explain().find("refused by temporal consistency"), std::string::npos);

  d = decide({.exclude_recent = 0, .consistent_queries = 1, .verify_geometry = false});
  EXPECT_TRUE(d.is_closure()) << d.explain();
  EXPECT_EQ(d.verification.correspondences, 0);
}

struct Quality {
  std::size_t claims = 0;
  std::size_t right = 0;
  std::size_t revisits = 0;
  std::size_t found = 0;
  std::vector<std::optional<FrameIdentity>> answers;
  friend bool operator==(const Quality&, const Quality&) = default;
};

/// A claim is right within 10 m and 60 degrees; a revisit is within 5 m and 30 degrees of a frame
/// that is no longer excluded.
Quality drive(const LoopDetectorOptions& options) {
  const World& world = World::get();
  LoopDetector detector(*world.vocabulary, options);
  Quality quality;
  for (std::size_t i = 0; i < world.features.size(); ++i) {
    const Pose& here = *world.info.frames[i].pose;
    bool revisit = false;
    for (std::size_t j = 0; j + options.exclude_recent < i; ++j) {
      const Pose& there = *world.info.frames[j].pose;
      revisit |= distance(here, there) <= 5 && angle_deg(here, there) <= 30;
    }
    const Detection detection = detector.process(world.features[i]);
    quality.revisits += revisit ? 1 : 0;
    quality.answers.push_back(detection.is_closure() ? detection.match : std::nullopt);
    if (!detection.is_closure()) continue;
    const Pose& there = *world.info.frames[detection.match->number].pose;
    const bool right = distance(here, there) <= 10 && angle_deg(here, there) <= 60;
    EXPECT_TRUE(right) << i << " -> " << detection.match->number << ": " << detection.explain();
    ++quality.claims;
    quality.right += right ? 1 : 0;
    quality.found += right && revisit ? 1 : 0;
  }
  return quality;
}

TEST(QualityFloor, DemoWorld) {
  const auto& calibration = World::get().info.calibration;
  const Quality quality = drive({.exclude_recent = 150, .calibration = calibration});
  EXPECT_GT(quality.revisits, 140);
  EXPECT_EQ(quality.right, quality.claims);
  EXPECT_GE(static_cast<double>(quality.found), 0.95 * static_cast<double>(quality.revisits));
  EXPECT_EQ(quality, drive({.exclude_recent = 150, .calibration = calibration})) << "deterministic";
}

TEST(QualityFloor, DemoWorldUncalibratedAndThroughTheDirectIndex) {
  LoopDetectorOptions options{.exclude_recent = 150};
  const Quality uncalibrated = drive(options);
  EXPECT_GE(static_cast<double>(uncalibrated.found),
            0.95 * static_cast<double>(uncalibrated.revisits));
  options.verification.direct_index_levels = 3;
  const Quality direct = drive(options);
  EXPECT_GE(static_cast<double>(direct.found), 0.9 * static_cast<double>(direct.revisits));
}

}  // namespace
}  // namespace looptree
