// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// How long pose graphs take to optimise: rounds of a made-up circuit with noisy odometry, true
// closures and false ones (docs/graph.md).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <fmt/core.h>

#include "looptree/graph/optimize.hpp"

#include "tests/graph/made_graph.hpp"

namespace {

using namespace looptree;

void measure(std::size_t frames, std::size_t closures, double false_share) {
  const test::MadeGraph made = test::make_graph({.frames = frames,
                                                 .lap = std::max<std::size_t>(100, frames / 20),
                                                 .closures = closures,
                                                 .false_share = false_share,
                                                 .odometry_rad = 0.0005});
  // Of the processor, for one thread does it all and others may be at work beside it.
  const std::clock_t start = std::clock();
  const OptimizedGraph result = optimize(made.graph);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  double worst = 0;
  for (std::size_t i = 0; i < frames; ++i) {
    worst = std::max(worst, distance(result.poses[i], made.truth[i]));
  }
  fmt::print(
      "{:7} keyframes, {:6} closures, {:3.0f}% false: {:7.2f} s, {:3} steps, {}, worst {:.2f} m, "
      "{} left out\n",
      frames, made.graph.closures.size(), 100 * false_share, seconds, result.iterations,
      result.converged ? "converged" : "NOT converged", worst, result.left_out);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 || argc == 4) {
    measure(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10),
            argc == 4 ? std::strtod(argv[3], nullptr) : 0);
    return 0;
  }
  if (argc != 1) {
    fmt::print(stderr, "usage: graph_bench [KEYFRAMES CLOSURES [FALSE_SHARE]]\n");
    return 2;
  }
  measure(1'000, 500, 0);
  measure(10'000, 5'000, 0);
  measure(100'000, 50'000, 0);
  measure(1'000, 500, 0.2);
  return 0;
}
