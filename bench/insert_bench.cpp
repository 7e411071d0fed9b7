// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// How long single insertions into an index take: the longest is what a robot waits for. Time of the
// processor that the thread got, so that others on the machine do not count, and of the clock. Of
// the longest it says how often the system had to find memory, which is what most of them wait for.
// insert_bench FRAMES [WORDS [TOPOLOGY [FOLDER]]]; with a folder, snapshots are written beside the
// insertions, one after another (docs/store.md).
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <sys/resource.h>

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

/// How often the system had to find a page, small or huge, for this thread so far.
long pages_found() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

struct Insertion {
  double processor_ms;
  double clock_ms;
  long pages;
};

std::vector<double> column(const std::vector<Insertion>& insertions, double Insertion::*what) {
  std::vector<double> result;
  for (const Insertion& insertion : insertions) result.push_back(insertion.*what);
  return result;
}

void print_longest(const std::vector<Insertion>& insertions) {
  std::vector<std::size_t> order(insertions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto count = static_cast<std::ptrdiff_t>(std::min<std::size_t>(8, order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return insertions[a].processor_ms > insertions[b].processor_ms;
                    });
  const auto above = std::count_if(insertions.begin(), insertions.end(),
                                   [](const Insertion& i) { return i.processor_ms > 1; });
  fmt::print("  {} took more than 1 ms of the processor; the longest, and pages found:\n", above);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::size_t frame = order[static_cast<std::size_t>(i)];
    const Insertion& insertion = insertions[frame];
    fmt::print("    frame {:7}  {:6.2f} ms  {} pages\n", frame, insertion.processor_ms,
               insertion.pages);
  }
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
  std::vector<Insertion> insertions(frames);
  {
    std::unique_ptr<Snapshots> snapshots;
    if (!folder.empty()) snapshots = std::make_unique<Snapshots>(index, folder);
    for (std::size_t i = 0; i < frames; ++i) {
      const Histogram frame = make_histogram(stream.frame(i), stream.word_weights());
      const long pages = pages_found();
      const double thread_start = thread_ms();
      const double start = clock_ms();
      index->insert(frame);
      insertions[i] = {thread_ms() - thread_start, clock_ms() - start, pages_found() - pages};
    }
  }
  fmt::print("{} frames, {} words, {}{}\n", frames, words, topology,
             folder.empty() ? "" : ", beside snapshots");
  print("processor", column(insertions, &Insertion::processor_ms));
  print("clock", column(insertions, &Insertion::clock_ms));
  print_longest(insertions);
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
