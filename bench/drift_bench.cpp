// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What closures of one camera that get their length from drifting odometry make of it: the closures
// of a run, measured anew with the odometry of every level and seed, and the pose graph of all
// (docs/graph.md). Reads the images of closures and their neighbours only.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "looptree/dataset/open.hpp"
#include "looptree/detect/closure_pose.hpp"
#include "looptree/features/extractor.hpp"
#include "looptree/graph/optimize.hpp"
#include "looptree/graph/trajectory.hpp"
#include "looptree/graph/trajectory_error.hpp"

namespace {

using namespace looptree;

/// The frames that odometry knows. Ids of frames are places in this list.
struct Route {
  std::vector<std::size_t> frames;
  std::vector<Pose> odometry;  ///< the true poses, before anything corrupts them
  std::vector<Pose> truth;
};

struct Pair {
  std::size_t query = 0;
  std::size_t match = 0;
  Verification verification;
};

/// What does not depend on the odometry.
struct Closures {
  std::map<std::size_t, Features> features;
  std::vector<Pair> pairs;
};

Route every_frame(const SequenceInfo& info) {
  Route route;
  for (std::size_t i = 0; i < info.frames.size(); ++i) {
    route.frames.push_back(i);
    route.truth.push_back(*info.frames[i].pose);
  }
  route.odometry = route.truth;
  return route;
}

/// Those of a trajectory in TUM's format, by time.
Route keyframes(const SequenceInfo& info, const std::string& file) {
  std::vector<double> frame_times;
  std::vector<double> times;
  const auto trajectory = read_tum(file);
  for (const SequenceFrame& frame : info.frames) frame_times.push_back(*frame.time_s);
  for (const TimedPose& timed : trajectory) times.push_back(timed.time_s);
  Route route;
  for (const TimePair& pair : associate(frame_times, times)) {
    route.frames.push_back(pair.first);
    route.odometry.push_back(trajectory[pair.second].pose);
    route.truth.push_back(*info.frames[pair.first].pose);
  }
  return route;
}

std::vector<Pair> read_pairs(const std::string& run, const Route& route, std::size_t every) {
  std::map<std::size_t, std::size_t> id_of;
  for (std::size_t i = 0; i < route.frames.size(); ++i) id_of[route.frames[i]] = i;
  std::ifstream file(run + "/closures.csv");
  std::string line;
  std::getline(file, line);
  std::vector<Pair> pairs;
  for (std::size_t row = 0; std::getline(file, line); ++row) {
    const auto query = id_of.find(std::strtoull(line.c_str(), nullptr, 10));
    const auto match = id_of.find(std::strtoull(line.c_str() + line.find(',') + 1, nullptr, 10));
    if (row % every != 0 || query == id_of.end() || match == id_of.end()) continue;
    pairs.push_back({query->second, match->second, {}});
  }
  return pairs;
}

Closures prepare(Sequence& sequence, const Route& route, std::vector<Pair> pairs) {
  std::set<std::size_t> needed;
  for (const Pair& pair : pairs) {
    for (const int offset : {-2, -1, 0, 1, 2}) {
      for (const std::size_t id : {pair.query, pair.match}) {
        const auto near = static_cast<std::ptrdiff_t>(id) + offset;
        if (near >= 0 && static_cast<std::size_t>(near) < route.frames.size()) {
          needed.insert(static_cast<std::size_t>(near));
        }
      }
    }
  }
  Closures closures;
  const auto extractor = make_extractor({});
  for (const std::size_t id : needed) {
    closures.features[id] = extractor->extract(sequence.image(route.frames[id]));
  }
  for (Pair& pair : pairs) {
    pair.verification = verify(closures.features[pair.query], closures.features[pair.match],
                               sequence.info().calibration);
    closures.pairs.push_back(std::move(pair));
  }
  return closures;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// What is left of the error with the true poses in place of those that were measured: that of the
/// stretches between closures, which no closure can take away.
double least_error(const Route& route, PoseGraph graph, Alignment alignment, double scale) {
  for (PoseEdge& edge : graph.closures) {
    edge.target_from_source = relative_pose(route.truth[edge.target], route.truth[edge.source]);
    for (double& length : edge.target_from_source.translation) length /= scale;
    edge.information = Information::from_sigmas(0.01, 0.001);
  }
  return absolute_error(route.truth, optimize(graph).poses, alignment).rmse;
}

/// Measures the closures with this odometry, optimises, and prints what came of it.
void straighten(const std::string& name, const Closures& closures, const Route& route,
                const std::vector<Pose>& odometry, const Calibration& calibration,
                const OdometrySigmas& sigmas, Alignment alignment) {
  PoseGraph graph;
  add_session(graph, odometry, {}, sigmas);
  std::vector<double> metres;
  std::vector<double> degrees;
  // Of one camera alone the odometry has a unit of its own.
  const bool has_own_unit = alignment == Alignment::similarity;
  const double scale = has_own_unit ? align(route.truth, odometry, true).scale : 1;
  ClosurePoseOptions options;
  options.from_odometry = true;
  for (const Pair& pair : closures.pairs) {
    // What the detector knew when the query came: nothing after it.
    const FrameSource frames{
        [&](FrameId id) {
          const auto found = closures.features.find(id.value);
          return found == closures.features.end() ? std::nullopt : std::optional(found->second);
        },
        [&](FrameId id) -> std::optional<FrameInfo> {
          if (id.value >= pair.query) return std::nullopt;
          FrameInfo info;
          info.pose = odometry[id.value];
          return info;
        }};
    const auto id = [](std::size_t value) { return FrameId(static_cast<std::uint32_t>(value)); };
    const auto found = closure_pose(
        frames,
        {closures.features.at(pair.query), odometry[pair.query], SessionId(0), id(pair.query)},
        {closures.features.at(pair.match), odometry[pair.match], SessionId(0), id(pair.match)},
        pair.verification, calibration, options);
    if (!found) continue;
    const MeasuredPose& measured = found->match_from_query;
    graph.closures.push_back({pair.match, pair.query, measured.pose, measured.information});
    const Pose truth = relative_pose(route.truth[pair.match], route.truth[pair.query]);
    Pose in_metres = measured.pose;
    for (double& length : in_metres.translation) length *= scale;
    metres.push_back(distance(in_metres, truth));
    degrees.push_back(angle_deg(in_metres, truth));
  }
  const OptimizedGraph result = optimize(graph);
  std::size_t inliers = 0;
  for (const ClosureFit& fit : result.closures) inliers += fit.is_inlier ? 1 : 0;
  const double before = absolute_error(route.truth, odometry, alignment).rmse;
  const double after = absolute_error(route.truth, result.poses, alignment).rmse;
  fmt::print(
      "{}: {} of {} closures with length (median error {:.3f} m, {:.3f} degrees), {} agree; "
      "absolute error {:.2f} m before, {:.2f} m after, a factor of {:.1f}; with exact closures "
      "{:.2f} m\n",
      name, graph.closures.size(), closures.pairs.size(), median(metres), median(degrees), inliers,
      before, after, before / after, least_error(route, graph, alignment, scale));
  std::fflush(stdout);
}

void made_up_drift(Sequence& sequence, const std::string& run, std::size_t every) {
  const Route route = every_frame(sequence.info());
  const Closures closures = prepare(sequence, route, read_pairs(run, route, every));
  for (const double degrees : {0.05, 0.2}) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      const DriftOptions options{.translation = 0.02, .rotation_deg = degrees, .seed = seed};
      straighten(fmt::format("drift of {} degrees, seed {}", degrees, seed), closures, route,
                 drift(route.truth, options), *sequence.info().calibration,
                 {.translation = 0.02, .rotation_deg = degrees}, Alignment::rigid);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    fmt::print(stderr, "usage: drift_bench SEQUENCE RUN [EVERY_NTH_CLOSURE [KEYFRAMES.tum]]\n");
    return 2;
  }
  const auto sequence = open_sequence(argv[1]);
  const std::size_t every = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  if (argc < 5) {
    made_up_drift(*sequence, argv[2], every);
    return 0;
  }
  const Route route = keyframes(sequence->info(), argv[4]);
  const Closures closures = prepare(*sequence, route, read_pairs(argv[2], route, every));
  straighten(fmt::format("{} keyframes", route.frames.size()), closures, route, route.odometry,
             *sequence->info().calibration, {}, Alignment::similarity);
  return 0;
}
