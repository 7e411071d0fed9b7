// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// How long single insertions into an index take: the longest is what a robot waits for. Time of the
// processor that the thread got, so that others on the machine do not count, and of the clock.
// insert_bench FRAMES [WORDS [TOPOLOGY [FOLDER]]]; with a folder, snapshots are written beside the
// insertions, one after another (docs/store.md).
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "looptree/dataset/word_stream.hpp"
#include "looptree/index/pooled_index.hpp"
#include "looptree/index/snapshot.hpp"

#include "clocks.hpp"

namespace {

using namespace looptree;
using bench::clock_ms;
using bench::thread_ms;

void print(const char* what, std::vector<double> ms) {
  double sum = 0;
  for (const double each : ms) sum += each;
  const auto longest = std::max_element(ms.begin(), ms.end());
  const auto which = longest - ms.begin();
  const double most = *longest;
  std::sort(ms.begin(), ms.end());
  const auto at = [&](double part) {
    return ms[static_cast<std::size_t>(part * static_cast<double>(ms.size() - 1))];
  };
  fmt::print("  {:10} mean {:.3f}  p99 {:.3f}  p99.9 {:.3f}  longest {:.3f} ms (frame {})\n", what,
             sum / static_cast<double>(ms.size()), at(0.99), at(0.999), most, which);
}

/// Writes one snapshot after another for as long as it lives.
class Snapshots {
 public:
  Snapshots(std::shared_ptr<const PooledIndex> index, std::filesystem::path folder)
      : thread_([this, index = std::move(index), path = folder / "insert_bench.snapshot"] {
          while (!stop_) written_ += IndexSnapshot(index).write(path, {}) ? 1 : 0;
          std::filesystem::remove(path);
        }) {}
  ~Snapshots() {
    stop_ = true;
    thread_.join();
    fmt::print("  {} snapshots were written meanwhile\n", written_.load());
  }
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> written_ = 0;
  std::thread thread_;
};

void run(std::size_t frames, std::uint32_t words, const std::string& topology,
         const std::string& folder) {
  WordStreamOptions options = words > 100'000 ? WordStreamOptions::million() : WordStreamOptions{};
  options.vocabulary_size = words;
  const WordStream stream(options);
  const std::vector<double> weights(stream.word_weights().begin(), stream.word_weights().end());
  const auto index =
      std::make_shared<PooledIndex>(IndexOptions{words, Topology::parse(topology), weights});
  std::vector<double> thread;
  std::vector<double> clock;
  {
    std::unique_ptr<Snapshots> snapshots;
    if (!folder.empty()) snapshots = std::make_unique<Snapshots>(index, folder);
    for (std::size_t i = 0; i < frames; ++i) {
      const Histogram frame = make_histogram(stream.frame(i), stream.word_weights());
      const double thread_start = thread_ms();
      const double start = clock_ms();
      index->insert(frame);
      clock.push_back(clock_ms() - start);
      thread.push_back(thread_ms() - thread_start);
    }
  }
  fmt::print("{} frames, {} words, {}{}\n", frames, words, topology,
             folder.empty() ? "" : ", beside snapshots");
  print("processor", thread);
  print("clock", clock);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto given = [&](int i, const char* otherwise) {
      return std::string(argc > i ? argv[i] : otherwise);
    };
    run(std::stoul(given(1, "20000")), static_cast<std::uint32_t>(std::stoul(given(2, "10000"))),
        given(3, "d1"), given(4, ""));
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    fmt::print(stderr, "insert_bench: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
