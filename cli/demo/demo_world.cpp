// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// `looptree demo` and `looptree world`: the rendered street scene.
#include "looptree/dataset/demo_world.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include <fmt/core.h>
#include <opencv2/core/utility.hpp>

#include "looptree/common/error.hpp"
#include "looptree/dataset/open.hpp"

#include "cli/command.hpp"
#include "cli/demo/other_light.hpp"
#include "cli/detect/detect_run.hpp"
#include "cli/drawing/pictures.hpp"
#include "cli/optimize/optimize.hpp"
#include "cli/progress_bar.hpp"
#include "cli/run/truth.hpp"
#include "cli/shell.hpp"
#include "cli/view/view.hpp"

namespace looptree::cli {
namespace {

/// A stretch of frames that revisit a place, and how many of them were found.
struct Stretch {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t found = 0;
  std::size_t match_first = 0;  ///< what the first closure in it points to
  std::size_t match_last = 0;
};

std::vector<Stretch> stretches_of(const Truth& truth, const std::vector<Closure>& closures) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < truth.is_revisit.size(); ++i) {
    if (!truth.is_revisit[i]) continue;
    if (stretches.empty() || i > stretches.back().last + 5) stretches.push_back({i, i});
    Stretch& stretch = stretches.back();
    stretch.last = i;
    const auto closure = std::find_if(closures.begin(), closures.end(),
                                      [&](const Closure& c) { return c.query == i; });
    if (closure == closures.end()) continue;
    if (stretch.found++ == 0) stretch.match_first = closure->match;
    stretch.match_last = closure->match;
  }
  return stretches;
}

void print_table(const SequenceInfo& info, const DetectSummary& summary) {
  const auto truth = judge(info, summary.closures, {.exclude_recent = summary.exclude_recent});
  fmt::print("\n  back in a known street      found as             recognised\n");
  for (const Stretch& s : stretches_of(*truth, summary.closures)) {
    fmt::print("  frames {:4} to {:4}         {:4} to {:4}         {:4} of {:4}\n", s.first, s.last,
               s.match_first, s.match_last, s.found, s.last - s.first + 1);
  }
  fmt::print(
      "\n{} of {} closures are right (within 15 m and 60 degrees); {} of {} same-direction\n"
      "revisits (5 m, 30 degrees) were found, {:.1f}%.\n",
      truth->right, truth->closures, truth->found, truth->revisits, 100 * truth->recall());
}

/// The demo ends with the page that shows it, where this program can make pages.
void show_page(const std::filesystem::path& run) {
  try {
    const std::filesystem::path page = write_view({.runs = {run.string()}, .width = 240});
    fmt::print("\nAll of it to look at, frame by frame: open this page in a browser\n  {}\n",
               std::filesystem::absolute(page).string());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
  }
}

void run_demo(const std::string& out) {
  cv::setNumThreads(1);
  const auto world = open_sequence("demo:home");
  fmt::print(
      "A camera drives {} frames through a street scene rendered on the spot. It comes back to\n"
      "streets it knows, beside its old track and in another light, and passes lookalikes.\n",
      world->size());
  DetectJob job;
  job.sequence.path = "demo:home";
  job.output = out;
  job.exclude_recent = 150;  // 140 m; the next round of the first block is longer
  // Wheels and a gyroscope: 2 cm and 0.3 degrees after a metre.
  job.odometry.make_drift = true;
  job.odometry.drift = {.translation = 0.02, .rotation_deg = 0.3};
  const DetectSummary summary = run_detection({.sequence = world.get()}, job);
  if (summary.interrupted) throw Error(ErrorKind::cancelled, "stopped on request");
  print_table(world->info(), summary);
  const std::filesystem::path picture = summary.run / "route.png";
  draw_route(world->info(), summary.closures, {}, picture);
  fmt::print("{:.1f} frames per second, rendering included. The route is drawn in {}\n\n",
             static_cast<double>(summary.frames) / summary.seconds, picture.string());
  fmt::print(
      "The odometry of the drive drifts. Its closures, which got their length from it, bring it\n"
      "back:\n");
  straighten(summary.run);
  fmt::print("the true route, the drifting one and the corrected one: {}\n\n",
             (summary.run / "optimized.png").string());
  show_other_light();
  const Closure& middle = summary.closures[summary.closures.size() / 2];
  fmt::print(
      "Next, the correspondences behind one of the closures:\n  {0} show {1} {2} {3}\n"
      "the images as a folder in KITTI layout:\n  {0} world world\n"
      "your own images, video or dataset:\n  {0} detect FOLDER\n",
      program(), shell_word(summary.run.string()), middle.query, middle.match);
  show_page(summary.run);
}

struct WorldArguments {
  std::string folder;
  DemoWorldOptions options;
};

void export_world(const WorldArguments& arguments) {
  const auto world = open_demo_world(arguments.options);
  ProgressBar bar("rendering");
  export_kitti(*world, arguments.folder, bar.callback());
  fmt::print("wrote {} images with poses, times and calibration to {}\n", world->size(),
             arguments.folder);
}

}  // namespace

void add_demo(CLI::App& app) {
  const auto out = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("demo", "Find the loops of a route, on images rendered on the spot");
  command->add_option("-o,--output", *out, "The run folder; default runs/TIME-demo");
  command->callback([out] { run_demo(*out); });
}

void add_world(CLI::App& app) {
  const auto arguments = std::make_shared<WorldArguments>();
  CLI::App* command =
      app.add_subcommand("world", "Write the demo's street scene as a folder in KITTI layout");
  command->add_option("folder", arguments->folder, "Where to")->required();
  command->add_option("--frames", arguments->options.frames, "Images along the route")
      ->capture_default_str();
  command->add_option("--width", arguments->options.width, "Pixels")->capture_default_str();
  command->add_option("--height", arguments->options.height, "Pixels")->capture_default_str();
  command
      ->add_option("--baseline", arguments->options.baseline_m,
                   "Metres to a second camera on the right, in image_1/; default: there is none")
      ->check(CLI::Range(0.0, 5.0));
  command->add_option("--weather", arguments->options.weather, "day (default), dusk, or rain")
      ->transform(CLI::CheckedTransformer(std::map<std::string, DemoWeather>{
          {"day", DemoWeather::day}, {"dusk", DemoWeather::dusk}, {"rain", DemoWeather::rain}}))
      ->option_text("WEATHER");
  command->add_option("--seed", arguments->options.seed, "Another seed, another city")
      ->capture_default_str();
  command->callback([arguments] { export_world(*arguments); });
}

}  // namespace looptree::cli
