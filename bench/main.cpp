// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// One driver for all timings of the index. `looptree_bench --help` lists what it can be asked.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/measure.hpp"
#include "bench/report.hpp"

namespace {

using namespace looptree::bench;

struct Options {
  std::vector<std::string> workloads = {"kitti-10k", "kitti-1m", "stream-10k", "stream-1m"};
  std::vector<std::uint32_t> frames = {4541, 40'000};
  std::vector<std::string> engines = {"plain", "d1", "d2b16-mean"};
  std::vector<std::size_t> top_k = {0, 1, 10};
  std::size_t queries = 100;
  std::size_t rounds = 7;
  bool cold = false;
  bool while_inserting = false;
  bool full = false;
  bool page = false;
  std::string csv;
};

void run_one(const Options& options, const std::string& name, std::uint32_t frames) {
  const Workload workload = make_workload(name, frames, options.queries);
  MeasureOptions measured;
  measured.engines = options.engines;
  measured.rounds = options.rounds;
  measured.cold = options.cold;
  measured.while_inserting = options.while_inserting;
  for (const std::size_t k : options.top_k) {
    measured.questions.push_back({k == 0 ? workload.threshold : 0, k});
  }
  const Results results = measure(workload, measured);
  print(results);
  std::fflush(stdout);
  if (!options.csv.empty()) append_csv(options.csv, results);
}

/// The sizes and engines of a full run. Engines that take long or much memory stop at small maps.
void run_full(Options options) {
  options.cold = true;
  options.while_inserting = true;
  const std::vector<std::string> all = {"plain",       "d1",         "d1@avx2",   "d1@sse4",
                                        "d1@2threads", "d2b16-mean", "d2b8-mean", "d2b4-mean",
                                        "d2b4-max",    "d2b4-sum"};
  const std::vector<std::string> large = {"plain",   "d1",          "d1@avx2",
                                          "d1@sse4", "d1@2threads", "d2b16-mean"};
  const std::vector<std::string> largest = {"plain", "d1", "d1@2threads"};
  for (const std::string& name : options.workloads) {
    options.engines = all;
    run_one(options, name, 4541);
    if (!name.starts_with("stream-")) continue;
    options.engines = large;
    run_one(options, name, 40'000);
    options.engines = largest;
    run_one(options, name, 200'000);
    options.rounds = 3;
    if (name == "stream-10k") run_one(options, name, 1'000'000);
  }
  options.engines = {"lists", "plain", "d1"};
  options.cold = options.while_inserting = false;
  options.queries = 20;
  for (const std::string& name : options.workloads) run_one(options, name, 5000);
}

/// The tables of docs/BENCHMARKS.md, in their order, as far as the words are at hand.
void run_page(const Options& options) {
  const auto table = [&](const std::string& workload, std::vector<std::string> engines,
                         std::vector<std::size_t> top_k, std::size_t rounds, std::size_t queries) {
    const auto& at_hand = options.workloads;
    if (std::find(at_hand.begin(), at_hand.end(), workload) == at_hand.end()) return;
    Options asked = options;
    asked.engines = std::move(engines);
    asked.top_k = std::move(top_k);
    asked.rounds = rounds;
    asked.queries = queries;
    run_one(asked, workload, 40'000);
  };
  table("kitti-10k", {"plain", "d1", "d1@avx2", "d1@sse4"}, {0, 1, 10}, 7, 60);
  table("kitti-1m", {"plain", "d1"}, {0, 10}, 7, 60);
  table("stream-10k", {"plain", "d1"}, {0, 10}, 5, 20);
  table("kitti-10k", {"lists", "plain", "d1"}, {0}, 3, 10);
}

void run(Options options) {
  print_machine(memory_bandwidth());
  std::erase_if(options.workloads, [](const std::string& name) {
    if (is_at_hand(name)) return false;
    std::printf(
        "%s: not run, its word files are not in runs/paper (./dev bench makes them where the "
        "videos are)\n",
        name.c_str());
    return true;
  });
  if (options.full) {
    run_full(options);
    return;
  }
  if (options.page) {
    run_page(options);
    return;
  }
  for (const std::string& name : options.workloads) {
    for (const std::uint32_t frames : options.frames) {
      run_one(options, name, frames);
      if (!name.starts_with("stream-")) break;  // these have a size of their own
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Measures looptree's index beside others, in one process, interleaved."};
  app.add_option("--workloads", options.workloads,
                 "kitti-10k, kitti-1m, stream-10k, stream-1m, words:FILE:OTHER")
      ->delimiter(',');
  app.add_option("--frames", options.frames, "Sizes of the map")->delimiter(',');
  app.add_option("--engines", options.engines,
                 "plain, lists, and topologies: d1, d1@avx2, d1@2threads, d2b16-mean@slack0.8; the "
                 "first is what the others are compared with")
      ->delimiter(',');
  app.add_option("--top-k", options.top_k,
                 "0: threshold search; else the k best, without a threshold")
      ->delimiter(',');
  app.add_option("--queries", options.queries, "Positive and negative queries, each")
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "Rounds, of which the median counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_flag("--cold", options.cold, "Also with the caches flushed before each query");
  app.add_flag("--while-inserting", options.while_inserting,
               "Also the first question while another thread inserts");
  app.add_flag(
      "--full", options.full,
      "All sizes up to a million frames, all engines, cold and while inserting: about half an "
      "hour, and 8 GB of memory");
  app.add_flag("--page", options.page, "The tables of docs/BENCHMARKS.md: minutes");
  app.add_option("--csv", options.csv, "Append the results to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
