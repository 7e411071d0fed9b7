// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Prints a digest of what the index answers to the questions of the bench's workloads. Two builds
// with the same digests gave the same frames, scores and statistics, to the bit: run it before and
// after a change that must not change answers, at every SIMD level.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "looptree/common/simd.hpp"
#include "looptree/index/pooled_index.hpp"

#include "bench/workload.hpp"

namespace {

using namespace looptree;

/// FNV-1a over whole numbers and the bits of scores.
class Digest {
 public:
  void add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ (value >> (8 * byte) & 0xFF)) * 0x100000001B3u;
    }
  }
  void add(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    add(bits);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325u;
};

struct Digests {
  Digest matches;
  Digest layers;  ///< without the number of frames scored in full, which depends on the bounds
  std::uint64_t rescored = 0;

  void add(const QueryResult& result) {
    for (const Match& match : result.matches) {
      matches.add(std::uint64_t{match.frame.value});
      matches.add(match.score);
    }
    for (const LayerStats& layer : result.layers) {
      layers.add(std::uint64_t{layer.nodes});
      layers.add(std::uint64_t{layer.scored});
      layers.add(std::uint64_t{layer.descended});
      rescored += layer.exact;
    }
  }
};

std::vector<QueryOptions> questions(double threshold) {
  std::vector<QueryOptions> all;
  for (const double factor : {0.6, 1.0, 1.5}) {
    QueryOptions options;
    options.top_k = QueryOptions::kUnlimited;
    options.threshold = factor * threshold;
    all.push_back(options);
  }
  for (const std::size_t k : {1, 10}) {
    QueryOptions options;
    options.top_k = k;
    all.push_back(options);
    options.threshold = threshold;
    options.filter.exclude_recent = 300;
    all.push_back(options);
  }
  return all;
}

void ask(const PooledIndex& index, const bench::Workload& workload, const char* state) {
  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    Digests all;
    Digest common;
    for (const auto* queries : {&workload.positives, &workload.negatives}) {
      for (const Histogram& query : *queries) {
        for (const QueryOptions& options : questions(workload.threshold)) {
          all.add(index.query(query, options));
        }
        for (const CommonFrame& frame : index.common_words(query).frames) {
          common.add(std::uint64_t{frame.frame.value});
          common.add(std::uint64_t{frame.common});
        }
      }
    }
    std::printf("%s %u %s %s %s: matches %016" PRIx64 " layers %016" PRIx64 " common %016" PRIx64
                " rescored %" PRIu64 "\n",
                workload.name.c_str(), workload.frames, index.options().topology.name().c_str(),
                state, level.c_str(), all.matches.value(), all.layers.value(), common.value(),
                all.rescored);
    std::fflush(stdout);
  }
  force_simd_level("");
}

void run(const std::string& name, std::uint32_t frames) {
  if (!bench::is_at_hand(name)) {
    std::printf("%s: not run, its word files are not in runs/paper\n", name.c_str());
    return;
  }
  const bench::Workload workload = bench::make_workload(name, frames, 40);
  for (const char* topology : {"d1", "d2b4-max", "d3b8-sum", "d2b16-mean"}) {
    PooledIndex index({static_cast<std::uint32_t>(workload.word_weights.size()),
                       Topology::parse(topology), workload.word_weights});
    for (std::uint32_t i = 0; i < workload.frames; ++i) index.insert(workload.frame(i));
    ask(index, workload, "whole");
    for (std::uint32_t i = 0; i < workload.frames; i += 3) index.erase(FrameId{i});
    ask(index, workload, "erased");
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto frames = static_cast<std::uint32_t>(argc > 1 ? std::stoul(argv[1]) : 10'000);
    for (const char* name : {"kitti-10k", "kitti-1m", "stream-10k", "stream-1m"}) run(name, frames);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
