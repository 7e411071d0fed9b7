// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "bench/engine.hpp"
#include "bench/spread.hpp"
#include "bench/workload.hpp"

namespace looptree::bench {

/// How long queries take while another thread inserts, beside how long they take at rest.
struct BusyLatency {
  std::string engine;
  std::string question;
  Spread at_rest;
  Spread busy;
  double inserts_per_s = 0;  ///< meanwhile
};

/// Asks positive and negative queries in turn; a second thread inserts frames as fast as it can.
/// Leaves those frames in the engine's map.
BusyLatency measure_while_inserting(const std::string& name, Engine& engine,
                                    const Workload& workload, const Question& question);

}  // namespace looptree::bench
