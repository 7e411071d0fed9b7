// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>
#include <opencv2/core/utils/logger.hpp>

#include "looptree/common/error.hpp"
#include "looptree/detect/verification.hpp"
#include "looptree/evaluate/run_folder.hpp"

#include "cli/camera_options.hpp"
#include "cli/command.hpp"
#include "cli/drawing/pictures.hpp"
#include "cli/run/detect_folder.hpp"
#include "cli/run/run_sequence.hpp"

namespace looptree::cli {
namespace {

struct ShowArguments {
  std::string run;
  std::vector<std::size_t> frames;
  std::string output;
};

void show_route(const ShowArguments& arguments, Sequence& sequence) {
  const std::filesystem::path run = arguments.run;
  const std::filesystem::path file =
      arguments.output.empty() ? run / "route.png" : std::filesystem::path(arguments.output);
  std::vector<Closure> closures;
  for (const evaluate::ScoredClosure& closure :
       evaluate::read_closures(run / "closures.csv").closures) {
    if (closure.query >= sequence.size() || closure.match >= sequence.size()) {
      throw Error(ErrorKind::corruption, "expected frames of the sequence in closures.csv, found " +
                                             std::to_string(closure.query) + "," +
                                             std::to_string(closure.match));
    }
    closures.push_back({closure.query, closure.match, closure.score});
  }
  draw_route(sequence.info(), closures, file);
  fmt::print("{} closures drawn to {}\n", closures.size(), file.string());
}

void show_pair(const ShowArguments& arguments, const nlohmann::json& config, Sequence& sequence) {
  const std::size_t i = arguments.frames[0];
  const std::size_t j = arguments.frames[1];
  ExtractorOptions extractor_options;
  extractor_options.kind = parse_feature_kind(std::string(config.at("features").at("kind")));
  extractor_options.max_features = config.at("features").at("max_features");
  extractor_options.fast_threshold = config.at("features").at("fast_threshold");
  // Runs of looptree 0.1 have no such line.
  extractor_options.network = config.at("features").value("network", std::string());
  const auto extractor = make_extractor(extractor_options);
  // A video is read forwards: the earlier frame first.
  Image earlier = sequence.image(std::min(i, j));
  Image later = sequence.image(std::max(i, j));
  const Image& query = i < j ? earlier : later;
  const Image& match = i < j ? later : earlier;
  const Features query_features = extractor->extract(query);
  const Features match_features = extractor->extract(match);
  const std::optional<Calibration> calibration = read_camera(config);
  VerificationOptions closely;  // also where a detector would refuse at first sight
  closely.probe.features = 0;
  const Verification verification = verify(query_features, match_features, calibration, closely);
  const std::filesystem::path file =
      arguments.output.empty()
          ? std::filesystem::path(arguments.run) / fmt::format("pair_{}_{}.png", i, j)
          : std::filesystem::path(arguments.output);
  draw_pair(query, match, query_features, match_features, verification, file);
  fmt::print("frames {} and {}: {} inliers of {} correspondences, drawn to {}\n", i, j,
             verification.inliers.size(), verification.correspondences, file.string());
}

void run(const ShowArguments& arguments) {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  const nlohmann::json config = read_config(arguments.run);
  try {
    const auto sequence = open_sequence_of(config);
    if (arguments.frames.empty()) {
      show_route(arguments, *sequence);
    } else {
      show_pair(arguments, config, *sequence);
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
  command->add_option("frames", arguments->frames, "Two frame numbers: draw their inliers")
      ->expected(2);
  command->add_option("-o,--output", arguments->output,
                      "The picture, .png, or .svg or .pdf for papers; default route.png or\n"
                      "pair_I_J.png in the run folder");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace looptree::cli
