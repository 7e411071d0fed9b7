// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/demo/other_light.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "looptree/dataset/demo_world.hpp"
#include "looptree/evaluate/protocols/sessions.hpp"
#include "looptree/vocabulary/box.hpp"

#include "cli/eval/sessions_run.hpp"
#include "cli/shell.hpp"

namespace looptree::cli {
namespace {

constexpr std::size_t kFirstBlock = 200;  // frames of the route
constexpr std::size_t kStep = 2;

/// Images that were rendered once, for several that look at them.
struct Drive {
  SequenceInfo info;
  std::shared_ptr<std::vector<Image>> images;

  Sequence sequence() const;
  std::vector<Pose> poses() const {
    std::vector<Pose> poses;
    for (const SequenceFrame& frame : info.frames) poses.push_back(*frame.pose);
    return poses;
  }
};

class Images final : public ImageSource {
 public:
  explicit Images(std::shared_ptr<const std::vector<Image>> images) : images_(std::move(images)) {}
  Image load(std::size_t frame) override { return (*images_)[frame]; }
  bool is_random_access() const override { return true; }

 private:
  std::shared_ptr<const std::vector<Image>> images_;
};

Sequence Drive::sequence() const {
  return {info, std::make_unique<Images>(images)};
}

Drive first_block(DemoWeather weather) {
  const auto world = open_demo_world({.weather = weather});
  Drive drive{{.format = "demo", .calibration = world->info().calibration},
              std::make_shared<std::vector<Image>>()};
  for (std::size_t i = 0; i < kFirstBlock; i += kStep) {
    drive.info.frames.push_back(world->info().frames[i]);
    drive.images->push_back(world->image(i));
  }
  return drive;
}

void print_row(const Drive& day, const Drive& again, const std::string& name, FeatureKind kind) {
  const auto extractor = make_extractor({.kind = kind});
  LoopDetectorOptions options = default_options(kind);
  Sequence reference = day.sequence();
  Sequence query = again.sequence();
  const SessionsRun run = run_sessions(reference, query, *extractor,
                                       box_vocabulary(to_string(kind)), std::move(options));
  const auto poses = [](double metres, double degrees, const Drive& from, const Drive& to) {
    return evaluate::GroundTruth::by_poses(from.poses(), to.poses(), {metres, degrees});
  };
  const auto found = evaluate::judge_sessions(
      name, run.answers, {poses(5, 30, again, day), poses(15, 60, again, day)});
  const auto metric = [&](const char* what) { return found.metric(what).value_or(0); };
  fmt::print("  {:22} {:9} {:4.0f} of {:4}   {:5.0f}\n", name, to_string(kind),
             metric("recall") * static_cast<double>(again.images->size()), again.images->size(),
             metric("false_alarms"));
}

}  // namespace

void show_other_light() {
  fmt::print(
      "\nThe first streets once more, as a second drive that knows the map of the first. Learned\n"
      "features are meant for that, ORB is not:\n"
      "  second drive           features   recognised   wrong\n");
  const Drive day = first_block(DemoWeather::day);
  for (const auto& [name, weather] :
       {std::pair{"at dusk", DemoWeather::dusk}, std::pair{"in the rain", DemoWeather::rain}}) {
    const Drive again = first_block(weather);
    for (const FeatureKind kind : {FeatureKind::orb, FeatureKind::learned}) {
      print_row(day, again, name, kind);
    }
  }
  fmt::print("Both drives to look at: {0} world day, {0} world dusk --weather dusk\n", program());
}

}  // namespace looptree::cli
