// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// `looptree optimize`: closures of a run and odometry become a corrected trajectory.
#include "looptree/graph/optimize.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/graph/graph_files.hpp"
#include "looptree/graph/trajectory.hpp"
#include "looptree/graph/trajectory_error.hpp"

#include "cli/command.hpp"
#include "cli/detect/detect_folder.hpp"
#include "cli/detect/run_sequence.hpp"
#include "cli/drawing/trajectory_picture.hpp"

namespace looptree::cli {
namespace {

namespace fs = std::filesystem;

struct OptimizeArguments {
  std::string run;
  std::string odometry;  ///< a file; empty: the truth with drift
  std::string output;    ///< a folder; empty: the run's
  bool make_drift = false;
  DriftOptions drift{};
  OdometrySigmas sigmas{};
  double along_m = 2;     ///< sigma of closures without length, along their direction
  double across_m = 0.5;  ///< and across it
  OptimizeOptions options{};
};

/// The frames that odometry knows, and what it says of them.
struct Odometry {
  std::vector<std::size_t> frames;  ///< their numbers in the sequence
  std::vector<Pose> poses;
};

double time_of(const SequenceInfo& info, std::size_t frame) {
  return info.frames[frame].time_s.value_or(static_cast<double>(frame));
}

Odometry odometry_by_time(const SequenceInfo& info, std::vector<TimedPose> trajectory) {
  std::sort(trajectory.begin(), trajectory.end(),
            [](const TimedPose& a, const TimedPose& b) { return a.time_s < b.time_s; });
  std::vector<double> frame_times;
  std::vector<double> times;
  for (std::size_t i = 0; i < info.frames.size(); ++i) frame_times.push_back(time_of(info, i));
  for (const TimedPose& timed : trajectory) times.push_back(timed.time_s);
  Odometry odometry;
  for (const TimePair& pair : associate(frame_times, times)) {
    odometry.frames.push_back(pair.first);
    odometry.poses.push_back(trajectory[pair.second].pose);
  }
  return odometry;
}

/// TUM's rows have 8 numbers, KITTI's 12.
Odometry read_odometry(const SequenceInfo& info, const std::string& file) {
  std::optional<Error> not_tum;
  try {
    return odometry_by_time(info, read_tum(file));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corruption) throw;
    not_tum = error;
  }
  Odometry odometry;
  try {
    odometry.poses = read_kitti(file);
  } catch (const Error&) {
    throw *not_tum;
  }
  if (odometry.poses.size() != info.frames.size()) {
    throw Error(ErrorKind::invalid_argument,
                fmt::format("expected {} poses in {}, one per frame, found {}; use TUM's format, "
                            "with times, for a part of them",
                            info.frames.size(), file, odometry.poses.size()));
  }
  odometry.frames.resize(odometry.poses.size());
  std::iota(odometry.frames.begin(), odometry.frames.end(), std::size_t{0});
  return odometry;
}

Odometry true_poses(const SequenceInfo& info) {
  Odometry known;
  for (std::size_t i = 0; i < info.frames.size(); ++i) {
    if (!info.frames[i].pose) continue;
    known.frames.push_back(i);
    known.poses.push_back(*info.frames[i].pose);
  }
  return known;
}

Odometry odometry_of(const SequenceInfo& info, const OptimizeArguments& arguments) {
  if (!arguments.odometry.empty()) return read_odometry(info, arguments.odometry);
  require(arguments.make_drift, ErrorKind::invalid_argument,
          "expected --odometry FILE, a trajectory as TUM's or KITTI's, or --drift to corrupt the "
          "true poses of the sequence, found neither");
  Odometry odometry = true_poses(info);
  require(!odometry.poses.empty(), ErrorKind::invalid_argument,
          "expected true poses in the sequence to corrupt, found none: give --odometry FILE");
  odometry.poses = drift(odometry.poses, arguments.drift);
  return odometry;
}

/// One camera gives a direction of unit length and says nothing of the distance. The cameras of a
/// closure are near each other: so near on average, and rather along the direction than across it.
void bound_length(PoseEdge& edge, const OptimizeArguments& arguments) {
  const Pose& pose = edge.target_from_source;
  const Pose direction = inverse({pose.rotation, {0, 0, 0}});
  const auto d =
      compose(direction, Pose{{1, 0, 0, 0, 1, 0, 0, 0, 1}, pose.translation}).translation;
  const double along = 1 / (arguments.along_m * arguments.along_m);
  const double across = 1 / (arguments.across_m * arguments.across_m);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      edge.information(i, j) = (along - across) * d[i] * d[j] + (i == j ? across : 0);
    }
  }
  edge.target_from_source.translation = {0, 0, 0};
}

bool has_length(const PoseEdge& edge) {
  return edge.information(0, 0) > 0 || edge.information(1, 1) > 0 || edge.information(2, 2) > 0;
}

PoseGraph graph_of(const SequenceInfo& info, const Odometry& odometry,
                   const OptimizeArguments& arguments) {
  PoseGraph graph;
  std::vector<double> times;
  std::vector<std::optional<std::size_t>> vertex_of(info.frames.size());
  for (std::size_t i = 0; i < odometry.frames.size(); ++i) {
    times.push_back(time_of(info, odometry.frames[i]));
    vertex_of[odometry.frames[i]] = i;
  }
  add_session(graph, odometry.poses, times, arguments.sigmas);
  for (PoseVertex& vertex : graph.vertices) vertex.id = odometry.frames[vertex.id];
  const PoseGraph run = read_g2o(fs::path(arguments.run) / "closures.g2o");
  for (PoseEdge edge : run.closures) {
    const std::size_t target = run.vertices[edge.target].id;
    const std::size_t source = run.vertices[edge.source].id;
    if (std::max(target, source) >= vertex_of.size() || !vertex_of[target] || !vertex_of[source]) {
      continue;
    }
    edge.target = *vertex_of[target];
    edge.source = *vertex_of[source];
    if (!has_length(edge)) bound_length(edge, arguments);
    graph.closures.push_back(edge);
  }
  return graph;
}

std::vector<PictureLine> compare(const SequenceInfo& info, const Odometry& odometry,
                                 const std::vector<Pose>& optimized) {
  std::vector<Pose> truth;
  std::vector<Pose> before;
  std::vector<Pose> after;
  for (std::size_t i = 0; i < odometry.frames.size(); ++i) {
    const auto& pose = info.frames[odometry.frames[i]].pose;
    if (!pose) continue;
    truth.push_back(*pose);
    before.push_back(odometry.poses[i]);
    after.push_back(optimized[i]);
  }
  if (truth.size() < 3)
    return {{"odometry", "#d62728", odometry.poses}, {"optimised", "#1f77b4", optimized}};
  const auto row = [&](const char* name, Alignment alignment) {
    const ErrorStatistics a = absolute_error(truth, before, alignment);
    const ErrorStatistics b = absolute_error(truth, after, alignment);
    fmt::print("  {:26} {:9.3f} {:9.3f} m rmse, a factor of {:.1f}\n", name, a.rmse, b.rmse,
               a.rmse / b.rmse);
  };
  fmt::print("against the truth               before     after\n");
  row("absolute, aligned", Alignment::rigid);
  row("absolute, aligned, scaled", Alignment::similarity);
  const RelativeError a = relative_error(truth, before);
  const RelativeError b = relative_error(truth, after);
  fmt::print("  {:26} {:9.4f} {:9.4f} m rmse\n  {:26} {:9.4f} {:9.4f} degrees rmse\n",
             "relative, frame to frame", a.translation_m.rmse, b.translation_m.rmse, "",
             a.rotation_deg.rmse, b.rotation_deg.rmse);
  return {{"truth", "#999999", truth},
          {"odometry", "#d62728", transform_poses(align(truth, before, false), before)},
          {"optimised", "#1f77b4", transform_poses(align(truth, after, false), after)}};
}

void write_result(const fs::path& folder, const PoseGraph& graph) {
  std::vector<TimedPose> timed;
  std::vector<Pose> poses;
  for (const PoseVertex& vertex : graph.vertices) {
    timed.push_back({*vertex.time_s, vertex.pose});
    poses.push_back(vertex.pose);
  }
  write_tum(folder / "optimized_tum.txt", timed);
  write_kitti(folder / "optimized_kitti.txt", poses);
  write_g2o(folder / "optimized.g2o", graph);
  write_gtsam(folder / "optimized_gtsam.txt", graph);
  write_graph_csv(folder / "optimized_csv", graph);
}

void run(const OptimizeArguments& arguments) {
  const auto sequence = open_sequence_of(read_config(arguments.run));
  const SequenceInfo& info = sequence->info();
  const Odometry odometry = odometry_of(info, arguments);
  PoseGraph graph = graph_of(info, odometry, arguments);
  const OptimizedGraph result = optimize(graph, arguments.options);
  std::size_t inliers = 0;
  for (const ClosureFit& fit : result.closures) inliers += fit.is_inlier ? 1 : 0;
  fmt::print("{} poses, {} closures, of which {} agree with the result; {} steps{}\n",
             graph.vertices.size(), graph.closures.size(), inliers, result.iterations,
             result.converged ? "" : ", not converged");
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) graph.vertices[i].pose = result.poses[i];
  const fs::path folder = arguments.output.empty() ? arguments.run : arguments.output;
  std::error_code none;  // what cannot be made cannot be written to either
  fs::create_directories(folder, none);
  draw_trajectories(compare(info, odometry, result.poses), folder / "optimized.svg");
  write_result(folder, graph);
  fmt::print(
      "written to {}: optimized.svg, optimized_tum.txt, optimized_kitti.txt, optimized.g2o\n",
      folder.string());
}

}  // namespace

void add_optimize(CLI::App& app) {
  const auto arguments = std::make_shared<OptimizeArguments>();
  CLI::App* command =
      app.add_subcommand("optimize", "Straighten a drifting trajectory by the closures of a run");
  command->add_option("run", arguments->run, "A folder written by \"looptree detect\"")->required();
  command->add_option("--odometry", arguments->odometry,
                      "The trajectory to correct: TUM's rows (time tx ty tz qx qy qz qw), joined\n"
                      "with the frames by time, or KITTI's (12 numbers), one per frame");
  command->add_option("-o,--output", arguments->output, "Where to; default the run folder");
  command->add_flag("--drift", arguments->make_drift,
                    "Instead of --odometry: the true poses of the sequence, corrupted");
  command
      ->add_option("--drift-translation", arguments->drift.translation,
                   "Its sigma in metres per square root of a metre, each axis")
      ->capture_default_str();
  command
      ->add_option("--drift-rotation", arguments->drift.rotation_deg,
                   "Its sigma in degrees per square root of a metre, each axis")
      ->capture_default_str();
  command->add_option("--drift-scale", arguments->drift.scale, "All steps too long by this part")
      ->capture_default_str();
  command->add_option("--seed", arguments->drift.seed, "Of the drift")->capture_default_str();
  command
      ->add_option("--odometry-translation", arguments->sigmas.translation,
                   "How far odometry is believed: sigma in metres per square root of a metre")
      ->capture_default_str();
  command
      ->add_option("--odometry-rotation", arguments->sigmas.rotation_deg,
                   "The same in degrees per square root of a metre")
      ->capture_default_str();
  command
      ->add_option("--closure-along", arguments->along_m,
                   "Closures of one camera have no length: how far apart their cameras are, sigma\n"
                   "in metres, along the direction that is known...")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--closure-across", arguments->across_m, "...and across it")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->footer(
      "Reads closures.g2o of the run, joins it with the odometry into a pose graph, and moves the\n"
      "poses until both agree as well as they can. A closure that contradicts the others counts\n"
      "little. The first pose stays where it is. Writes optimized_tum.txt and optimized_kitti.txt\n"
      "(which evo reads), the graph for other optimisers (optimized.g2o, optimized_gtsam.txt,\n"
      "optimized_csv/), and optimized.svg, a picture of the route before and after. Where the\n"
      "sequence has true poses, says how far off the trajectory was and is.\n\n"
      "Example: looptree detect kitti00 --output /tmp/run\n"
      "         looptree optimize /tmp/run --drift            # made-up odometry\n"
      "         looptree optimize /tmp/run --odometry vo.txt  # your own");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace looptree::cli
