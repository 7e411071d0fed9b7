// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "looptree/common/random.hpp"
#include "looptree/graph/pose_graph.hpp"

namespace looptree::test {

/// A graph whose truth is known.
struct MadeGraph {
  PoseGraph graph;
  std::vector<Pose> truth;
};

struct MadeGraphOptions {
  std::size_t frames = 400;
  std::size_t lap = 100;  ///< frames of a round
  std::size_t closures = 200;
  double false_share = 0;    ///< false closures for each true one
  double step_m = 1;         ///< between frames
  double odometry_m = 0.02;  ///< sigma per step
  double odometry_rad = 0.002;
  double closure_m = 0.05;
  double closure_rad = 0.005;
  std::uint64_t seed = 1;
};

class GraphMaker {
 public:
  explicit GraphMaker(const MadeGraphOptions& options) : options_(options), random_(options.seed) {}

  /// Rounds of a hilly circuit, driven with noise.
  MadeGraph make() {
    MadeGraph made;
    for (std::size_t i = 0; i < options_.frames; ++i) made.truth.push_back(place(i));
    std::vector<Pose> drifted{made.truth[0]};
    for (std::size_t i = 1; i < options_.frames; ++i) {
      const Pose step = relative_pose(made.truth[i - 1], made.truth[i]);
      drifted.push_back(
          compose(drifted.back(), noisy(step, options_.odometry_m, options_.odometry_rad)));
    }
    add_session(made.graph, drifted);
    for (PoseEdge& edge : made.graph.odometry) {
      edge.information = Information::from_sigmas(options_.odometry_m, options_.odometry_rad);
    }
    add_closures(made);
    return made;
  }

  Pose noisy(const Pose& pose, double metres, double radians) {
    const Pose noise{rotation_about({normal() * radians, normal() * radians, normal() * radians}),
                     {normal() * metres, normal() * metres, normal() * metres}};
    return compose(pose, noise);
  }

 private:
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - random_.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random_.uniform());
  }

  Pose place(std::size_t i) const {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i % options_.lap) /
                         static_cast<double>(options_.lap);
    const double radius =
        options_.step_m * static_cast<double>(options_.lap) / (2 * std::numbers::pi);
    return {rotation_about({0, angle, 0}),
            {radius * std::sin(angle), 2 * std::sin(2 * angle), radius * std::cos(angle)}};
  }

  void add_closures(MadeGraph& made) {
    const auto information = Information::from_sigmas(options_.closure_m, options_.closure_rad);
    const auto count = static_cast<std::size_t>(
        static_cast<double>(options_.closures) * (1 + options_.false_share) + 0.5);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t query = options_.lap + random_.below(options_.frames - options_.lap);
      std::size_t match = query - options_.lap;
      Pose measured = relative_pose(made.truth[match], made.truth[query]);
      if (k >= options_.closures) {
        do {
          match = random_.below(query - options_.lap / 2);  // a lookalike somewhere else
        } while (distance(made.truth[match], made.truth[query]) < 5 * options_.step_m);
        measured = {};
      }
      made.graph.closures.push_back(
          {match, query, noisy(measured, options_.closure_m, options_.closure_rad), information});
    }
  }

  MadeGraphOptions options_;
  Random random_;
};

inline MadeGraph make_graph(const MadeGraphOptions& options = {}) {
  return GraphMaker(options).make();
}

}  // namespace looptree::test
