// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <opencv2/core/utils/logger.hpp>

#include "looptree/common/error.hpp"
#include "looptree/detect/verification.hpp"
#include "looptree/evaluate/run_folder.hpp"

#include "cli/camera_options.hpp"
#include "cli/command.hpp"
#include "cli/detect/shown_frames.hpp"
#include "cli/drawing/pictures.hpp"
#include "cli/run/detect_folder.hpp"
#include "cli/run/run_sequence.hpp"
#include "cli/view/csv.hpp"

namespace looptree::cli {
namespace {

struct ShowArguments {
  std::string run;
  std::vector<std::size_t> frames;
  std::string output;
  bool in_map = false;  ///< the second frame is one of the run's map, by its id
};

[[noreturn]] void refuse_frames(const std::string& file, const std::string& found) {
  throw Error(ErrorKind::corruption,
              "expected frames of the sequence in " + file + ", found " + found);
}

/// Closures with earlier sessions, drawn apart: their matches are no frames of this sequence.
std::vector<Closure> read_map_closures(const std::filesystem::path& run, std::size_t frames) {
  std::vector<Closure> closures;
  if (!std::filesystem::exists(run / "map_closures.csv")) return closures;
  const Table table = Table::read(run / "map_closures.csv");
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::size_t query = table.count(row, "query");
    if (query >= frames) refuse_frames("map_closures.csv", std::to_string(query));
    closures.push_back({query, table.count(row, "match_number", table.count(row, "map_frame")),
                        table.number(row, "score")});
  }
  return closures;
}

void show_route(const ShowArguments& arguments, const Sequence& sequence) {
  const std::filesystem::path run = arguments.run;
  const std::filesystem::path file =
      arguments.output.empty() ? run / "route.png" : std::filesystem::path(arguments.output);
  std::vector<Closure> closures;
  for (const evaluate::ScoredClosure& closure :
       evaluate::read_closures(run / "closures.csv").closures) {
    if (closure.query >= sequence.size() || closure.match >= sequence.size()) {
      refuse_frames("closures.csv",
                    std::to_string(closure.query) + "," + std::to_string(closure.match));
    }
    closures.push_back({closure.query, closure.match, closure.score});
  }
  const std::vector<Closure> earlier = read_map_closures(run, sequence.size());
  draw_route(sequence.info(), closures, earlier, file);
  fmt::print("{} closures{} drawn to {}\n", closures.size(),
             earlier.empty() ? "" : fmt::format(", and {} with earlier sessions,", earlier.size()),
             file.string());
}

void show_pair(const ShowArguments& arguments, const nlohmann::json& config) {
  const std::size_t i = arguments.frames[0];
  const std::size_t j = arguments.frames[1];
  ShownFrames frames(config);
  // A video is read forwards: the earlier frame first.
  std::optional<ShownFrame> match;
  if (!arguments.in_map && j < i) match = frames.frame(j);
  const ShownFrame query = frames.frame(i);
  if (!match) {
    match = arguments.in_map ? frames.map_frame(static_cast<std::uint32_t>(j)) : frames.frame(j);
  }
  VerificationOptions closely;  // also where a detector would refuse at first sight
  closely.probe.features = 0;
  const Verification verification =
      verify(query.features, match->features, read_camera(config), closely);
  const std::string name = fmt::format("pair_{}_{}{}.png", i, arguments.in_map ? "map" : "", j);
  const std::filesystem::path file = arguments.output.empty()
                                         ? std::filesystem::path(arguments.run) / name
                                         : std::filesystem::path(arguments.output);
  draw_pair(query.image, match->image, query.features, match->features, verification, file);
  fmt::print("{} and {}: {} inliers of {} correspondences, drawn to {}\n", query.name, match->name,
             verification.inliers.size(), verification.correspondences, file.string());
}

void run(const ShowArguments& arguments) {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  const nlohmann::json config = read_config(arguments.run);
  try {
    if (arguments.frames.empty()) {
      show_route(arguments, *open_sequence_of(config));
    } else {
      show_pair(arguments, config);
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        ErrorKind::corruption,
        "expected the configuration of a run in config.json, found: " + std::string(error.what()));
  }
}

}  // namespace

void add_show(CLI::App& app) {
  const auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = app.add_subcommand(
      "show", "Draw the route of a run with its closures, or one pair of frames");
  command->add_option("run", arguments->run, "A folder written by \"looptree detect\"")->required();
  CLI::Option* frames =
      command->add_option("frames", arguments->frames, "Two frame numbers: draw their inliers")
          ->expected(2);
#ifdef LOOPTREE_WITH_STORE
  command
      ->add_flag("--map", arguments->in_map,
                 "The second frame is one of the run's map, of an earlier session: its\n"
                 "map_frame in map_closures.csv. Where an image is gone, the small one that\n"
                 "the map keeps is shown")
      ->needs(frames);
#else
  static_cast<void>(frames);
#endif
  command->add_option("-o,--output", arguments->output,
                      "The picture, .png, or .svg or .pdf for papers; default route.png or\n"
                      "pair_I_J.png in the run folder");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace looptree::cli
