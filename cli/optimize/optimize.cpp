// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// `looptree optimize`: closures of a run and odometry become a corrected trajectory.
#include "looptree/graph/optimize.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/graph/graph_files.hpp"
#include "looptree/graph/trajectory.hpp"

#include "cli/command.hpp"
#include "cli/drawing/trajectory_picture.hpp"
#include "cli/optimize/odometry.hpp"
#include "cli/optimize/optimize.hpp"
#include "cli/optimize/optimize_sessions.hpp"
#include "cli/optimize/trajectory_report.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;

struct OptimizeArguments {
  std::vector<std::string> runs;
  OdometryArguments odometry;      ///< but for its file
  std::vector<std::string> files;  ///< of odometry, one per run; empty: none
  std::string output;              ///< a folder; empty: the first run's
  std::optional<double> translation_sigma;
  std::optional<double> rotation_sigma;
  UnknownLength unknown{};
  OptimizeOptions options{};
};

std::vector<RunSession> read_sessions(const OptimizeArguments& arguments) {
  require(arguments.files.empty() || arguments.files.size() == arguments.runs.size(),
          ErrorKind::invalid_argument,
          "expected one --odometry per run, or none, found another number of them");
  std::vector<RunSession> sessions;
  for (std::size_t i = 0; i < arguments.runs.size(); ++i) {
    OdometryArguments odometry = arguments.odometry;
    odometry.drift.seed += i;
    if (!arguments.files.empty()) odometry.file = arguments.files[i];
    sessions.push_back(read_session(arguments.runs[i], odometry));
  }
  return sessions;
}

std::optional<OdometrySigmas> sigmas_of(const OptimizeArguments& arguments) {
  if (!arguments.translation_sigma && !arguments.rotation_sigma) return std::nullopt;
  OdometrySigmas sigmas;
  sigmas.translation = arguments.translation_sigma.value_or(sigmas.translation);
  sigmas.rotation_deg = arguments.rotation_sigma.value_or(sigmas.rotation_deg);
  return sigmas;
}

/// A session's part of what came out.
std::vector<Pose> part_of(const PoseGraph& graph, const RunSession& session) {
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < session.odometry.poses.size(); ++i) {
    poses.push_back(graph.vertices[session.first_vertex + i].pose);
  }
  return poses;
}

/// Prints errors before and after, where the truth is known, and returns what to draw.
std::vector<PictureLine> compare(const RunSession& session, const std::vector<Pose>& optimized) {
  const Odometry& odometry = session.odometry;
  std::vector<Pose> truth;
  std::vector<Pose> before;
  std::vector<Pose> after;
  for (std::size_t i = 0; i < odometry.frames.size(); ++i) {
    const auto& pose = session.info.frames[odometry.frames[i]].pose;
    if (!pose) continue;
    truth.push_back(*pose);
    before.push_back(odometry.poses[i]);
    after.push_back(optimized[i]);
  }
  if (truth.size() < 3) {
    return {{"odometry", kBeforeStroke, odometry.poses}, {"corrected", kAfterStroke, optimized}};
  }
  const TrajectoryComparison errors = compare_trajectories(truth, before, after);
  print_comparison(errors);
  return draw_comparison(errors, truth, before, after);
}

/// The name of a session's file: optimized_tum.txt, and optimized_2_tum.txt of the second run.
fs::path file_of(const fs::path& folder, std::size_t session, const char* name) {
  if (session == 0) return folder / fmt::format("optimized_{}", name);
  return folder / fmt::format("optimized_{}_{}", session + 1, name);
}

void write_result(const fs::path& folder, const PoseGraph& graph,
                  const std::vector<RunSession>& sessions) {
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    std::vector<TimedPose> timed;
    const std::vector<Pose> poses = part_of(graph, sessions[i]);
    for (std::size_t k = 0; k < poses.size(); ++k) {
      timed.push_back({*graph.vertices[sessions[i].first_vertex + k].time_s, poses[k]});
    }
    write_tum(file_of(folder, i, "tum.txt"), timed);
    write_kitti(file_of(folder, i, "kitti.txt"), poses);
  }
  write_g2o(folder / "optimized.g2o", graph);
  write_gtsam(folder / "optimized_gtsam.txt", graph);
  write_graph_csv(folder / "optimized_csv", graph);
}

/// One run: truth, odometry and result. Several: their results, in the world of the first.
std::vector<PictureLine> report_sessions(const PoseGraph& graph,
                                         const std::vector<RunSession>& sessions) {
  if (sessions.size() == 1) return compare(sessions[0], part_of(graph, sessions[0]));
  constexpr std::array<Colour, 6> kColours{{colours::kRight,
                                            colours::kWrong,
                                            {31, 119, 180},
                                            {148, 103, 189},
                                            {140, 86, 75},
                                            {23, 190, 207}}};
  std::vector<PictureLine> lines;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    fmt::print("{}, {} poses\n", sessions[i].run.string(), sessions[i].odometry.poses.size());
    const std::vector<Pose> poses = part_of(graph, sessions[i]);
    compare(sessions[i], poses);
    lines.push_back({fs::canonical(sessions[i].run).filename().string(),
                     {.colour = kColours[i % kColours.size()], .width = 1.4},
                     poses});
  }
  return lines;
}

void run(const OptimizeArguments& arguments) {
  std::vector<RunSession> sessions = read_sessions(arguments);
  PoseGraph graph = make_graph(sessions, sigmas_of(arguments), arguments.unknown);
  const OptimizedGraph result = optimize(graph, arguments.options);
  std::size_t inliers = 0;
  for (const ClosureFit& fit : result.closures) inliers += fit.is_inlier ? 1 : 0;
  fmt::print("{} poses, {} closures, of which {} agree with the result; {} steps{}\n",
             graph.vertices.size(), graph.closures.size(), inliers, result.iterations,
             result.converged ? "" : ", not converged");
  if (result.left_out > 0) {
    fmt::print("{} closures that no other supports were left out: all together are too many\n",
               result.left_out);
  }
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) graph.vertices[i].pose = result.poses[i];
  const fs::path folder = arguments.output.empty() ? arguments.runs.front() : arguments.output;
  std::error_code none;  // what cannot be made cannot be written to either
  fs::create_directories(folder, none);
  const std::vector<PictureLine> lines = report_sessions(graph, sessions);
  for (const char* name : {"optimized.svg", "optimized.png"})
    draw_trajectories(lines, folder / name);
  write_result(folder, graph, sessions);
  fmt::print(
      "written to {}: optimized.png, optimized_tum.txt, optimized_kitti.txt, optimized.g2o\n",
      folder.string());
}

}  // namespace

void straighten(const fs::path& run_folder) {
  OptimizeArguments arguments;
  arguments.runs = {run_folder.string()};
  run(arguments);
}

void add_optimize(CLI::App& app) {
  const auto arguments = std::make_shared<OptimizeArguments>();
  CLI::App* command =
      app.add_subcommand("optimize", "Straighten a drifting trajectory by the closures of a run");
  command
      ->add_option("run", arguments->runs,
                   "A folder written by \"looptree detect\", or several, of one map")
      ->required();
  command->add_option("-o,--output", arguments->output, "Where to; default the first run's folder");
  add_drift_options(*command, arguments->odometry);
  command
      ->add_option("--odometry", arguments->files,
                   "The trajectory to correct, once per run: TUM's rows (time tx ty tz qx qy qz\n"
                   "qw), joined with the frames by time, or KITTI's (12 numbers), one per frame.\n"
                   "Without it and --drift, what the run was detected with")
      ->take_all()
      ->expected(1);
  command->add_option("--odometry-translation", arguments->translation_sigma,
                      "How far odometry is believed: sigma in metres per square root of a metre.\n"
                      "Default 0.02, or what --drift made");
  command->add_option("--odometry-rotation", arguments->rotation_sigma,
                      "The same in degrees; default 0.05, or what --drift made");
  command
      ->add_option("--closure-along", arguments->unknown.along_m,
                   "Closures of one camera have no length: how far apart their cameras are, sigma\n"
                   "in metres, along the direction that is known...")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--closure-across", arguments->unknown.across_m, "...and across it")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->footer(
      "Reads closures.g2o of the run, joins it with the odometry into a pose graph, and moves the\n"
      "poses until both agree as well as they can. A closure that contradicts the others counts\n"
      "little. The first pose stays where it is. Writes optimized_tum.txt and optimized_kitti.txt\n"
      "(which evo reads), the graph for other optimisers (optimized.g2o, optimized_gtsam.txt,\n"
      "optimized_csv/), and a picture of the route before and after (optimized.svg, "
      "optimized.png).\n"
      "Where the sequence has true poses, says how far off the trajectory was and is.\n\n"
      "Example: looptree detect kitti00 --output /tmp/run\n"
      "         looptree optimize /tmp/run --drift            # made-up odometry\n"
      "         looptree optimize /tmp/run --odometry vo.txt  # your own\n"
      "         looptree optimize monday tuesday              # two runs on one map, in one world");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace looptree::cli
