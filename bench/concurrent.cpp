// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "bench/concurrent.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace looptree::bench {
namespace {

/// Milliseconds of every query, a few times over.
std::vector<double> ask_all(const Engine& engine, const Workload& workload,
                            const Question& question) {
  constexpr int kRounds = 10;
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto* queries : {&workload.positives, &workload.negatives}) {
      for (const Histogram& query : *queries) {
        const auto start = Clock::now();
        (void)engine.query(query, question);
        times.push_back(seconds_since(start) * 1e3);
      }
    }
  }
  return times;
}

}  // namespace

BusyLatency measure_while_inserting(const std::string& name, Engine& engine,
                                    const Workload& workload, const Question& question) {
  BusyLatency result{name, question.name(), spread(ask_all(engine, workload, question)), {}, 0};
  std::vector<Histogram> more;
  for (std::uint32_t i = 0; i < 256; ++i) more.push_back(workload.frame(i % workload.frames));
  // The map must stay about as large as it was.
  const std::size_t most = workload.frames / 4 + 1;
  std::atomic<bool> stop = false;
  std::size_t inserted = 0;
  const auto start = Clock::now();
  double inserting_s = 0;
  std::thread writer([&] {
    for (; inserted < most && !stop; ++inserted) engine.insert(more[inserted % more.size()]);
    inserting_s = seconds_since(start);
  });
  std::vector<double> times;
  do {
    const std::vector<double> round = ask_all(engine, workload, question);
    times.insert(times.end(), round.begin(), round.end());
  } while (times.size() < 1000);
  stop = true;
  writer.join();
  result.busy = spread(times);
  result.inserts_per_s = static_cast<double>(inserted) / inserting_s;
  return result;
}

}  // namespace looptree::bench
