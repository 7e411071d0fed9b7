// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "looptree/dataset/word_stream.hpp"
#include "looptree/histogram/histogram.hpp"
#include "looptree/index/index_options.hpp"

#include "cli/command.hpp"
#include "cli/progress_bar.hpp"
#include "cli/shell.hpp"

namespace looptree::cli {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

struct DemoOptions {
  std::uint32_t frames = 4000;
  std::string topology = "d1";
  double threshold = 0.19;
};

constexpr std::uint32_t kRecent = 100;  // frames the camera still sees are no loop
constexpr double kSamePlace = 30;       // frames of road: further on, nothing seen there is in view

/// What became of the frames of one stretch of road that had been seen before.
struct Revisit {
  std::uint32_t first = 0;
  std::uint32_t seen_first = 0;
  int frames = 0;
  int found = 0;
  double best_score = 0;
};

struct Outcome {
  std::vector<Revisit> revisits;
  int false_alarms = 0;
  double query_ms = 0;
};

Outcome drive(const WordStream& stream, const DemoOptions& options, PooledIndex& index) {
  ProgressBar bar("driving");
  Outcome outcome;
  bool on_known_road = false;
  for (std::uint32_t i = 0; i < options.frames; ++i) {
    const Histogram image = make_histogram(stream.frame(i), stream.word_weights());
    const auto before = steady_clock::now();
    const auto matches =
        index.query(image, {.top_k = 1, .threshold = options.threshold, .filter = {kRecent}})
            .matches;
    outcome.query_ms += duration<double, std::milli>(steady_clock::now() - before).count();
    index.insert(image);

    const auto seen = stream.revisits(i);
    if (seen && !on_known_road) {
      outcome.revisits.push_back({i, static_cast<std::uint32_t>(*seen)});
    }
    on_known_road = seen.has_value();
    const bool right = !matches.empty() && std::abs(stream.position(matches[0].frame.value) -
                                                    stream.position(i)) <= kSamePlace;
    outcome.false_alarms += !matches.empty() && !right;
    if (seen) {
      Revisit& revisit = outcome.revisits.back();
      ++revisit.frames;
      revisit.found += right;
      if (right) revisit.best_score = std::max(revisit.best_score, matches[0].score);
    }
    report([&](std::size_t done, std::size_t total) { return bar.update(done, total); }, i + 1,
           options.frames);
  }
  return outcome;
}

void print(const WordStream& stream, const DemoOptions& options, const PooledIndex& index,
           const Outcome& outcome) {
  fmt::print(
      "A camera drove {} frames of a made-up road, {:.0f} visual words in each, and at times\n"
      "came back to where it had been. Every frame was first looked up ({}, score of at least\n"
      "{}), then added to the map.\n\n",
      options.frames, stream.options().landmarks, options.topology, options.threshold);
  fmt::print("  back on a known road      first driven     recognised     best score\n");
  int frames = 0;
  int found = 0;
  for (const Revisit& revisit : outcome.revisits) {
    fmt::print("  frames {:5} to {:5}      {:5} to {:5}     {:3} of {:3}     {:8.3f}\n",
               revisit.first, revisit.first + revisit.frames - 1, revisit.seen_first,
               revisit.seen_first + revisit.frames - 1, revisit.found, revisit.frames,
               revisit.best_score);
    frames += revisit.frames;
    found += revisit.found;
  }
  fmt::print("\nOf {} frames on known roads {} were recognised, with {} false alarms.\n", frames,
             found, outcome.false_alarms);
  fmt::print("A look-up took {:.3f} ms on average; the map holds {} frames in {:.1f} MB.\n\n",
             outcome.query_ms / options.frames, index.size(),
             static_cast<double>(index.memory().bytes) / 1e6);
  fmt::print(
      "Next, the paper's fastest, lossy search:\n  {0} demo --topology d2b16-mean\n"
      "an exact tree of three layers:\n  {0} demo --topology d3b8-max\n"
      "and what else can be changed:\n  {0} demo --help\n",
      program());
}

void run(const DemoOptions& options) {
  const WordStream stream;
  PooledIndex index(index_options(stream.word_weights(), Topology::parse(options.topology)));
  print(stream, options, index, drive(stream, options, index));
}

}  // namespace

void add_demo(CLI::App& app) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* command =
      app.add_subcommand("demo", "Find the loops of a route, on data made on the spot");
  command->add_option("--frames", options->frames, "How long to drive")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--topology", options->topology,
                   "How frames are pooled: d1 (flat), d2b16-mean, d3b8-max, ...")
      ->capture_default_str();
  command->add_option("--threshold", options->threshold, "Least score of a match, 0 to 1")
      ->capture_default_str();
  command->callback([options] { run(*options); });
}

}  // namespace looptree::cli
