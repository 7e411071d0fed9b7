// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/concurrent.hpp"
#include "bench/engine.hpp"
#include "bench/spread.hpp"
#include "bench/workload.hpp"

namespace looptree::bench {

/// One engine's answers to one question, over positive or negative queries.
struct Measurement {
  std::string engine;
  std::string question;
  bool positive = true;
  Spread warm;            ///< per query the median of the rounds
  Spread cold;            ///< with the caches flushed before each query
  double recall = 1;      ///< of the frames the exact answer holds
  double hits = 0;        ///< frames returned per query
  double ratio = 1;       ///< time of the first engine / time of this one, median of the rounds
  double ratio_low = 1;   ///< the smallest of the rounds
  double ratio_high = 1;  ///< the largest of the rounds
};

struct EngineFacts {
  std::string engine;
  double insert_per_s = 0;
  double insert_p999_ms = 0;  ///< of single insertions
  double insert_longest_ms = 0;
  double bytes_per_frame = 0;
};

struct Results {
  std::string workload;
  std::uint32_t frames = 0;
  std::vector<EngineFacts> facts;
  std::vector<Measurement> measurements;
  std::vector<BusyLatency> busy;  ///< of engines that can be asked while they are written to
};

struct MeasureOptions {
  std::vector<std::string> engines;  ///< the first is what the others are compared with
  std::vector<Question> questions;
  std::size_t rounds = 7;
  bool cold = false;
  bool while_inserting = false;  ///< the first question also while another thread inserts
};

/// Builds every engine's map and puts all questions to all engines, query by query in turn, in
/// `rounds` rounds after one that does not count.
Results measure(const Workload& workload, const MeasureOptions& options);

/// Bytes per second that one thread reads from memory it has not touched lately.
double memory_bandwidth();

}  // namespace looptree::bench
