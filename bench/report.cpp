// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "bench/report.hpp"

#include <fstream>
#include <string>

#include <fmt/core.h>

#include "looptree/commit.hpp"
#include "looptree/common/error.hpp"
#include "looptree/common/simd.hpp"

namespace looptree::bench {
namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

void print_machine(double bandwidth) {
  fmt::print(
      "machine   {}, {}\ncompiler  {}, {}\ncommit    {}\nmemory    {:.1f} GB/s read by one "
      "thread\n",
      cpu_name(), simd_level(), LOOPTREE_COMPILER, LOOPTREE_FLAGS, LOOPTREE_COMMIT,
      bandwidth / 1e9);
}

void print(const Results& results) {
  fmt::print("\n{} with {} frames\n", results.workload, results.frames);
  fmt::print("  {:<22} {:>12} {:>12} {:>12} {:>12}\n", "engine", "inserts/s", "p99.9 ms",
             "longest ms", "bytes/frame");
  for (const EngineFacts& facts : results.facts) {
    fmt::print("  {:<22} {:>12.0f} {:>12.3f} {:>12.3f} {:>12.0f}\n", facts.engine,
               facts.insert_per_s, facts.insert_p999_ms, facts.insert_longest_ms,
               facts.bytes_per_frame);
  }
  fmt::print("  {:<22} {:<10} {:<4} {:>8} {:>17} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7}\n", "engine",
             "question", "", "ratio", "(low, high)", "mean ms", "p50", "p99", "cold p50", "recall",
             "hits");
  for (const Measurement& one : results.measurements) {
    fmt::print(
        "  {:<22} {:<10} {:<4} {:>7.1f}x ({:>6.1f}, {:>6.1f}) {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} "
        "{:>7.4f} {:>7.1f}\n",
        one.engine, one.question, one.positive ? "pos" : "neg", one.ratio, one.ratio_low,
        one.ratio_high, one.warm.mean, one.warm.p50, one.warm.p99, one.cold.p50, one.recall,
        one.hits);
  }
  for (const BusyLatency& one : results.busy) {
    fmt::print(
        "  {:<22} {:<10} at rest p50 {:.4f} p99 {:.4f} ms; while another thread inserts {:.0f} "
        "frames/s: p50 {:.4f} p99 {:.4f} ms\n",
        one.engine, one.question, one.at_rest.p50, one.at_rest.p99, one.inserts_per_s, one.busy.p50,
        one.busy.p99);
  }
}

void append_csv(const std::filesystem::path& path, const Results& results) {
  const bool fresh = !std::filesystem::exists(path);
  std::ofstream file(path, std::ios::app);
  if (!file) throw Error(ErrorKind::io, "expected to write " + path.string() + ", and could not");
  if (fresh) {
    file << "cpu,compiler,flags,commit,workload,frames,engine,question,queries,ratio,ratio_low,"
            "ratio_high,"
            "mean_ms,p50_ms,p95_ms,p99_ms,cold_p50_ms,cold_p95_ms,recall,hits,inserts_per_s,bytes_"
            "per_frame\n";
  }
  for (const Measurement& one : results.measurements) {
    const EngineFacts* facts = nullptr;
    for (const EngineFacts& each : results.facts) {
      if (each.engine == one.engine) facts = &each;
    }
    file << fmt::format(
        "\"{}\",{},\"{}\",{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}"
        ",{:.6f},"
        "{:.6f},{:.3f},{:.0f},{:.0f}\n",
        cpu_name(), LOOPTREE_COMPILER, LOOPTREE_FLAGS, LOOPTREE_COMMIT, results.workload,
        results.frames, one.engine, one.question, one.positive ? "positive" : "negative", one.ratio,
        one.ratio_low, one.ratio_high, one.warm.mean, one.warm.p50, one.warm.p95, one.warm.p99,
        one.cold.p50, one.cold.p95, one.recall, one.hits, facts->insert_per_s,
        facts->bytes_per_frame);
  }
}

}  // namespace looptree::bench
