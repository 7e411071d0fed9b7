// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/error.hpp"
#include "looptree/evaluate/metrics.hpp"
#include "looptree/evaluate/protocols/trace_replay.hpp"

#include "bench/trace_engines.hpp"
#include "cli/command.hpp"
#include "cli/progress_bar.hpp"

namespace looptree::cli {
namespace {

using evaluate::EngineMaker;
using evaluate::EngineTimes;
using evaluate::ReplayResult;
using evaluate::Summary;

/// Everybody who may take part, in the order of the table.
constexpr const char* kEngines = "orb-slam plain d1 d2b4-max looptree";
constexpr std::size_t kShown = 10;

constexpr const char* kHelp =
    R"(TRACE records the adds, erases and queries of an ORB-SLAM run in call order, with the answers the
system got (docs/formats/keyframe_trace.md). Each query goes to several databases in turn:

  orb-slam   ORB-SLAM's own structure: linked lists, counters in keyframes, maps
  plain      the same selection over a flat inverted index of contiguous lists
  d1, d2b4-max, ...
             looptree's threshold search for all keyframes that reach the minimum score, over a
             topology: flat, or the paper's pooling tree
  looptree   ORB-SLAM's selection over looptree's index: the drop-in

Those that select candidates must give the recorded answer: keyframes that share a word, most
common words, scored keyframes with their scores bit by bit, and candidates in order. Searches must
find every keyframe that was scored above the minimum. Times are per query, in processor time, all
databases in one run, question by question; the factor is that of the mean against orb-slam.

Exit code 0: all answers are the trace's. 1: some differ (the first ones are listed), or the trace
is damaged. 2: the command line was not understood.

Example:
  looptree replay kitti00_mono.trace.gz
  looptree replay run.trace.gz --engines "looptree d2b2-max d2b4-max" --repeats 5)";

struct Arguments {
  std::string trace;
  std::string engines = kEngines;
  std::size_t repeats = 3;
};

EngineMaker maker(const std::string& name) {
  if (name == "orb-slam") return bench::make_orb_slam_like;
  if (name == "plain") return bench::make_plain_keyframes;
  if (name == "looptree") return evaluate::make_covisibility_engine;
  try {
    const Topology topology = Topology::parse(name);
    return [topology](std::span<const double> weights) {
      return evaluate::make_search_engine(weights, topology);
    };
  } catch (const Error& error) {
    throw CLI::ValidationError("--engines", "expected orb-slam, plain, looptree or a topology; " +
                                                std::string(error.what()));
  }
}

std::vector<EngineMaker> makers(const std::string& names) {
  std::vector<EngineMaker> result;
  for (const std::string& name : CLI::detail::split(names, ' ')) {
    if (!name.empty()) result.push_back(maker(name));
  }
  if (result.empty()) throw CLI::ValidationError("--engines", "expected at least one database");
  return result;
}

void print_times(const ReplayResult& result, const char* title,
                 std::vector<double> EngineTimes::*times, bool with_factor) {
  if ((result.engines.front().*times).empty()) return;
  double baseline = 0;
  for (const EngineTimes& engine : result.engines) {
    if (engine.name == "orb-slam") baseline = evaluate::summarize(engine.*times).mean;
  }
  fmt::print("\n{:<22}{:>10}{:>10}{:>10}{:>10}{:>10}\n", title, "mean us", "median", "p95", "max",
             with_factor && baseline > 0 ? "factor" : "");
  for (const EngineTimes& engine : result.engines) {
    const Summary summary = evaluate::summarize(engine.*times);
    fmt::print("{:<22}{:>10.1f}{:>10.1f}{:>10.1f}{:>10.1f}", engine.name, summary.mean,
               summary.median, summary.p95, summary.max);
    if (with_factor && baseline > 0) fmt::print("{:>9.1f}x", baseline / summary.mean);
    fmt::print("\n");
  }
}

void print_checks(const ReplayResult& result) {
  fmt::print("\n{} loop queries with {} candidates, {} relocalisations, {} scores: ", result.loops,
             result.candidates, result.relocalizations, result.scores);
  if (result.differences.empty()) {
    fmt::print("every answer is the trace's\n");
  } else {
    fmt::print("{} answers differ\n", result.differences.size());
  }
  if (result.relocalizations > 0) {
    fmt::print(
        "{} relocalisation answers rest on that query's scores alone; the others used scores left\n"
        "over from before, and were reproduced with the recorded ones\n",
        result.sound_relocalizations);
  }
  for (std::size_t i = 0; i < std::min(kShown, result.differences.size()); ++i) {
    const evaluate::ReplayDifference& difference = result.differences[i];
    fmt::print(stderr, "line {}, {}: {}\n", difference.line, difference.engine, difference.what);
  }
}

void run(const Arguments& arguments) {
  const std::vector<EngineMaker> engines = makers(arguments.engines);
  ProgressBar bar("replaying");
  evaluate::ReplayOptions options;
  options.repeats = arguments.repeats;
  options.progress = bar.callback();
  const ReplayResult result = evaluate::replay(arguments.trace, engines, options);
  fmt::print("{}: {} adds, {} erases, {} clears\n",
             std::filesystem::path(arguments.trace).filename().string(), result.adds, result.erases,
             result.clears);
  print_times(result, "loop query", &EngineTimes::loop_us, true);
  if (!result.recorded_loop_us.empty()) {
    const Summary recorded = evaluate::summarize(result.recorded_loop_us);
    fmt::print("{:<22}{:>10.1f}{:>10.1f}{:>10.1f}{:>10.1f}   when it ran\n", "(the system itself",
               recorded.mean, recorded.median, recorded.p95, recorded.max);
  }
  print_times(result, "relocalisation query", &EngineTimes::relocalization_us, true);
  print_times(result, "add", &EngineTimes::add_us, false);
  print_times(result, "erase", &EngineTimes::erase_us, false);
  print_checks(result);
  if (!result.differences.empty()) {
    throw Error(ErrorKind::corruption, "expected the recorded answers, found " +
                                           std::to_string(result.differences.size()) +
                                           " others; see above");
  }
}

}  // namespace

void add_replay(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "replay", "Replay what a SLAM system asked of its keyframes, and check the answers");
  command->footer(kHelp);
  command->add_option("TRACE", arguments->trace, "The trace, gzip or plain text")->required();
  command->add_option("--engines", arguments->engines, "Who takes part, separated by spaces")
      ->capture_default_str();
  command
      ->add_option("--repeats", arguments->repeats,
                   "Ask each question this often and take the median time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
      ->capture_default_str();
  command->callback([arguments] { run(*arguments); });
}

}  // namespace looptree::cli
