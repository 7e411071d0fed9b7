// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
//
// What a vocabulary costs: loading, quantising, training. Every figure is the median of interleaved
// rounds. Loading and training are in wall-clock time; quantising, which runs on one thread, in the
// time of that thread, so that other work on the machine disturbs it less.
//
//   vocabulary_bench [load] [quantise] [train [ROWS]]     without a name: all of them
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/vocabulary/benches.hpp"

int main(int argc, char** argv) {
  using namespace looptree::bench;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "peak") {
    print_peak(arguments[1]);
    return 0;
  }
  const auto asked = [&](const char* name) {
    return arguments.empty() ||
           std::find(arguments.begin(), arguments.end(), name) != arguments.end();
  };
  if (asked("load") || asked("quantise")) {
    const std::vector<Row> nodes = full_tree();
    const MillionWords files(nodes);
    if (asked("load")) bench_load(files);
    if (asked("quantise")) bench_quantise(files, nodes);
  }
  if (asked("train")) {
    const std::string last = arguments.empty() ? "" : arguments.back();
    const std::size_t rows = static_cast<std::size_t>(std::atoll(last.c_str()));
    bench_train(rows != 0 ? rows : 300000);
  }
  return 0;
}
