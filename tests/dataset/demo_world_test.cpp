// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/demo_world.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/dataset/feature_stream.hpp"
#include "looptree/dataset/open.hpp"

#include "tests/dataset/image_folder.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::ImageFolder;

std::uint64_t fingerprint(const Image& image) {
  std::uint64_t hash = 1469598103934665603U;
  for (const std::uint8_t pixel : image.pixels) hash = (hash ^ pixel) * 1099511628211U;
  return hash;
}

TEST(DemoWorld, HasTheSamePixelsEverywhere) {
  const auto world = open_demo_world();
  EXPECT_EQ(world->size(), 600);
  // Written down from one machine: other machines, compilers and options must agree.
  EXPECT_EQ(fingerprint(world->image(0)), 1978877014059368614U);
  EXPECT_EQ(fingerprint(world->image(333)), 18171187538908460267U);
}

TEST(DemoWorld, HasTheSamePlacesInOtherWeather) {
  const auto day = open_demo_world();
  const auto dusk = open_sequence("demo:dusk");
  const auto rain = open_sequence("demo:rain");
  ASSERT_EQ(dusk->size(), day->size());
  EXPECT_EQ(*dusk->info().frames[333].pose, *day->info().frames[333].pose);
  EXPECT_EQ(*rain->info().frames[333].pose, *day->info().frames[333].pose);
  // Written down from one machine, as above.
  EXPECT_EQ(fingerprint(dusk->image(333)), 1928274757968710287U);
  EXPECT_EQ(fingerprint(rain->image(333)), 7019698175596519401U);
}

TEST(DemoWorld, ComesBackToWhereItWasFromBothSides) {
  const SequenceInfo info = open_demo_world()->info();
  std::size_t same = 0;
  std::size_t opposite = 0;
  for (std::size_t i = 0; i < info.frames.size(); ++i) {
    bool ahead = false;
    bool back = false;
    for (std::size_t j = 0; j + 100 < i; ++j) {
      if (distance(*info.frames[i].pose, *info.frames[j].pose) > 3) continue;
      const double angle = angle_deg(*info.frames[i].pose, *info.frames[j].pose);
      ahead |= angle < 30;
      back |= angle > 150;
    }
    same += ahead ? 1 : 0;
    opposite += back ? 1 : 0;
  }
  EXPECT_GT(same, 120);
  EXPECT_GT(opposite, 70);
}

TEST(DemoWorld, ChecksItsOptions) {
  test::expect_error(ErrorKind::invalid_argument, "frames", [] { open_demo_world({.frames = 1}); });
  test::expect_error(ErrorKind::invalid_argument, "width", [] { open_demo_world({.width = 10}); });
}

TEST(DemoWorld, IsExportedInKittiLayout) {
  const ImageFolder folder;
  const auto world = open_demo_world({.frames = 4, .width = 96, .height = 64});
  export_kitti(*world, folder.path());
  const auto read = open_sequence(folder.path());
  EXPECT_EQ(read->info().format, "kitti");
  ASSERT_EQ(read->size(), 4);
  EXPECT_EQ(read->info().calibration, world->info().calibration);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read->image(i).pixels, world->image(i).pixels);
    EXPECT_NEAR(distance(*read->info().frames[i].pose, *world->info().frames[i].pose), 0, 1e-6);
    EXPECT_NEAR(*read->info().frames[i].time_s, *world->info().frames[i].time_s, 1e-9);
  }
}

TEST(DemoWorld, ExportStopsOnRequestAndNamesAFolderItCannotMake) {
  const ImageFolder folder;
  const auto world = open_demo_world({.frames = 4, .width = 96, .height = 64});
  test::expect_error(ErrorKind::cancelled, "stopped", [&] {
    export_kitti(*world, folder / "a", [](std::size_t, std::size_t) { return false; });
  });
  folder.text("file", "");
  test::expect_error(ErrorKind::io, "file", [&] { export_kitti(*world, folder / "file"); });
}

TEST(FeatureStream, GivesTheSameFramesWhateverTheThreads) {
  const auto world = open_demo_world({.frames = 12, .width = 200, .height = 120});
  const auto extractor = make_extractor({.max_features = 200});
  FeatureStream one(*world, *extractor, 1);
  const auto again = open_demo_world({.frames = 12, .width = 200, .height = 120});
  FeatureStream many(*again, *extractor, 5);
  for (std::size_t i = 0; i < 12; ++i) {
    const auto a = one.next();
    const auto b = many.next();
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->number, i);
    EXPECT_EQ(b->number, i);
    EXPECT_GT(a->features.size(), 20);
    EXPECT_EQ(a->features.keypoints, b->features.keypoints);
    EXPECT_EQ(a->features.descriptors.bytes, b->features.descriptors.bytes);
  }
  EXPECT_FALSE(one.next() || many.next());
}

TEST(FeatureStream, ReportsBadFramesInTheirPlaceAndTakesStrides) {
  const ImageFolder folder;
  for (int i = 0; i < 7; ++i) folder.image(std::to_string(i) + ".png", i, i == 4 ? 80 : 70, 70);
  folder.text("2.png", "broken");
  const auto extractor = make_extractor();
  const auto sequence = open_sequence(folder.path());
  FeatureStream stream(*sequence, *extractor, 2, 2);
  EXPECT_FALSE(stream.next()->error);
  EXPECT_EQ(stream.next()->error->kind(), ErrorKind::corruption);
  EXPECT_NE(std::string(stream.next()->error->what()).find("70x70"), std::string::npos);
  const auto last = stream.next();
  EXPECT_EQ(last->number, 6);
  EXPECT_FALSE(last->error);
  EXPECT_FALSE(stream.next());
}

/// The nice value of every thread of this process.
std::vector<int> nice_values() {
  std::vector<int> values;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    std::string stat;
    if (!std::getline(file, stat)) continue;                      // a thread that has just ended
    std::istringstream fields(stat.substr(stat.rfind(')') + 2));  // from the third field on
    std::string field;
    for (int i = 3; i <= 19; ++i) fields >> field;
    values.push_back(std::stoi(field));
  }
  return values;
}

/// Black images, counted as they are read.
class CountingSource final : public ImageSource {
 public:
  explicit CountingSource(std::atomic<std::size_t>& loaded) : loaded_(loaded) {}
  Image load(std::size_t) override {
    ++loaded_;
    return {64, 64};
  }
  bool is_random_access() const override { return true; }

 private:
  std::atomic<std::size_t>& loaded_;
};

TEST(FeatureStream, LeavesThePriorityOfItsThreadsAlone) {
  if (!std::filesystem::exists("/proc/self/task")) GTEST_SKIP() << "not run: no /proc";
  const std::vector<int> before = nice_values();
  const auto world = open_demo_world({.frames = 20, .width = 96, .height = 64});
  const auto extractor = make_extractor();
  FeatureStream stream(*world, *extractor, 4);
  while (stream.next()) {
    for (const int value : nice_values()) EXPECT_EQ(value, before[0]);
  }
}

TEST(FeatureStream, ReadsAFewFramesAheadAndNoMore) {
  constexpr std::size_t kFrames = 60;
  constexpr std::size_t kThreads = 3;
  std::atomic<std::size_t> loaded = 0;
  SequenceInfo info{.format = "made", .frames = std::vector<SequenceFrame>(kFrames)};
  Sequence sequence(std::move(info), std::make_unique<CountingSource>(loaded));
  const auto extractor = make_extractor();
  FeatureStream stream(sequence, *extractor, kThreads);
  for (std::size_t taken = 1; stream.next(); ++taken) {
    // Whatever the threads do while the caller is slow, they stop at two frames each.
    if (taken % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_LE(loaded, std::min(kFrames, taken + 2 * kThreads));
  }
  EXPECT_EQ(loaded, kFrames);
}

TEST(FeatureStream, OfOneThreadWorksInTheCallersThread) {
  std::atomic<std::size_t> loaded = 0;
  SequenceInfo info{.format = "made", .frames = std::vector<SequenceFrame>(5)};
  Sequence sequence(std::move(info), std::make_unique<CountingSource>(loaded));
  const auto extractor = make_extractor();
  FeatureStream stream(sequence, *extractor, 1);
  for (std::size_t taken = 1; stream.next(); ++taken) EXPECT_EQ(loaded, taken);
  EXPECT_EQ(loaded, 5u);
}

TEST(FeatureStream, MayBeLeftHalfway) {
  const auto world = open_demo_world({.frames = 50, .width = 96, .height = 64});
  const auto extractor = make_extractor();
  FeatureStream stream(*world, *extractor, 3);
  EXPECT_TRUE(stream.next());
}

}  // namespace
}  // namespace looptree
