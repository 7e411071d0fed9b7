// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// One driver for all timings of the index. `looptree_bench --help` lists what it can be asked.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/measure.hpp"
#include "bench/report.hpp"

namespace {

using namespace looptree::bench;

struct Options {
  std::vector<std::string> workloads = {"stream-10k", "stream-1m"};
  std::vector<std::uint32_t> frames = {4541};
  std::vector<std::string> engines = {"plain", "d1", "d2b16-mean"};
  std::vector<std::size_t> top_k = {0, 1, 10};
  std::size_t queries = 100;
  std::size_t rounds = 7;
  bool cold = false;
  std::string csv;
};

void run(const Options& options) {
  print_machine(memory_bandwidth());
  for (const std::string& name : options.workloads) {
    for (const std::uint32_t frames : options.frames) {
      const Workload workload = make_workload(name, frames, options.queries);
      MeasureOptions measured;
      measured.engines = options.engines;
      measured.rounds = options.rounds;
      measured.cold = options.cold;
      for (const std::size_t k : options.top_k) {
        measured.questions.push_back({k == 0 ? workload.threshold : 0, k});
      }
      const Results results = measure(workload, measured);
      print(results);
      std::fflush(stdout);
      if (!options.csv.empty()) append_csv(options.csv, results);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Measures looptree's index beside others, in one process, interleaved."};
  app.add_option("--workloads", options.workloads, "stream-10k, stream-1m, words:FILE:OTHER")
      ->delimiter(',');
  app.add_option("--frames", options.frames, "Sizes of the map")->delimiter(',');
  app.add_option(
         "--engines", options.engines,
         "plain, dbow2-like, and topologies: d1, d1@avx2, d1@2threads, d2b16-mean@slack0.8; the "
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
