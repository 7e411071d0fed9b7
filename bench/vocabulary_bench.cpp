// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
//
// What a vocabulary costs: loading, quantising, training. Every figure is the median of interleaved
// rounds on one thread, unless it says otherwise.
//
//   vocabulary_bench [load] [quantise] [train [ROWS]]     without a name: all of them
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "looptree/common/parallel.hpp"
#include "looptree/common/simd.hpp"
#include "looptree/vocabulary/training.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace {

using namespace looptree;
namespace fs = std::filesystem;

constexpr std::size_t kBranching = 10;
constexpr std::size_t kDepth = 6;
constexpr std::size_t kBytes = 32;
using Row = std::array<std::uint64_t, kBytes / 8>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  Row row() { return {next(), next(), next(), next()}; }
  /// The row with about 256 / 2^halvings bits changed.
  Row near(Row row, int halvings) {
    for (std::uint64_t& word : row) {
      std::uint64_t mask = ~std::uint64_t{0};
      for (int i = 0; i < halvings; ++i) mask &= next();
      word ^= mask;
    }
    return row;
  }

 private:
  std::uint64_t state_;
};

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Runs the works in turn, several times, and returns the median time of each.
std::vector<double> interleaved(const std::vector<std::function<void()>>& works, int rounds) {
  std::vector<std::vector<double>> times(works.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < works.size(); ++i) times[i].push_back(milliseconds(works[i]));
  }
  std::vector<double> medians;
  for (const auto& each : times) medians.push_back(median(each));
  return medians;
}

/// A line of /proc/self/status in MB; 0 where there is none.
double memory_mb(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::atof(line.c_str() + std::strlen(key) + 1) / 1e3;
  }
  return 0;
}

// A vocabulary of a million words
// ------------------------------------------------------------------

/// All nodes but the root, level by level: each near its parent, nearer as levels go down.
std::vector<Row> full_tree() {
  Random random(1);
  std::vector<Row> nodes;
  std::size_t width = 1;
  std::size_t parents = 0;
  for (std::size_t level = 1; level <= kDepth; ++level) {
    const std::size_t first = nodes.size();
    width *= kBranching;
    for (std::size_t i = 0; i < width; ++i) {
      nodes.push_back(level == 1 ? random.row()
                                 : random.near(nodes[parents + i / kBranching], level < 4 ? 2 : 3));
    }
    parents = first;
  }
  return nodes;
}

std::size_t leaf_begin(const std::vector<Row>& nodes) {
  return (nodes.size() + 1) / kBranching - 1;  // inner nodes, the root not counted
}

void write_text(const std::vector<Row>& nodes, const fs::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fprintf(file, "%zu %zu  0 0\n", kBranching, kDepth);
  Random random(2);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool leaf = i >= leaf_begin(nodes);
    std::fprintf(file, "%zu %d ", i / kBranching, leaf ? 1 : 0);
    std::array<std::uint8_t, kBytes> bytes;
    std::memcpy(bytes.data(), nodes[i].data(), kBytes);
    for (const std::uint8_t byte : bytes) std::fprintf(file, "%u ", byte);
    std::fprintf(file, " %g\n", leaf ? 4 + static_cast<double>(random.next() >> 44U) / 1e5 : 0.0);
  }
  std::fclose(file);
}

struct Files {
  fs::path folder = fs::temp_directory_path() / ("looptree-bench-" + std::to_string(getpid()));
  fs::path text = folder / "million.txt";
  fs::path own = folder / "million.looptree";

  explicit Files(const std::vector<Row>& nodes) {
    fs::create_directories(folder);
    write_text(nodes, text);
    Vocabulary::load(text).save(own);
  }
  ~Files() { fs::remove_all(folder); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
};

// Loading
// ------------------------------------------------------------------------------------------

/// The peak of loading a file, above what the process has before, in MB. Runs in a process of its
/// own, which no earlier work has left memory in.
double peak_of_loading(const fs::path& file) {
  const std::string command = "/proc/" + std::to_string(getpid()) + "/exe peak " + file.string();
  std::FILE* pipe = popen(command.c_str(), "r");
  double peak = 0;
  if (pipe == nullptr || std::fscanf(pipe, "%lf", &peak) != 1) std::perror("cannot measure");
  if (pipe != nullptr) pclose(pipe);
  return peak;
}

void print_peak(const fs::path& file) {
  const double before = memory_mb("VmRSS:");
  const Vocabulary vocabulary = Vocabulary::load(file);
  std::printf("%f\n", memory_mb("VmHWM:") - before);
}

void bench_load(const Files& files) {
  std::printf("\nLoading 1,000,000 words (k=10, L=6, 256 bits); files in the page cache\n");
  const Vocabulary once = Vocabulary::load(files.text);
  const double peak = peak_of_loading(files.text);
  const std::vector<double> times =
      interleaved({
                      [&] { Vocabulary::load(files.text); },
                      [&] { Vocabulary::load(files.own); },
                      [&] { Vocabulary::load(files.own, {.verify = false}); },
                  },
                  7);
  const double megabytes = static_cast<double>(fs::file_size(files.text)) / 1e6;
  const double result = static_cast<double>(once.memory_bytes()) / 1e6;
  std::printf("  ORB-SLAM text, %.0f MB            %8.1f ms   (%.0f MB/s)\n", megabytes, times[0],
              megabytes / times[0] * 1e3);
  std::printf("    peak memory %.0f MB for a result of %.0f MB: %.2fx\n", peak, result,
              peak / result);
  std::printf("  looptree, %.0f MB, verified        %8.1f ms\n", result, times[1]);
  std::printf("  looptree, structure only          %8.1f ms\n", times[2]);
  std::printf(
      "  rivals, as published: ORB-SLAM2 text 12,060 ms on an i7, 77,000 ms on ARM; its binary\n"
      "  patch 200 ms and 1000 ms (ORB_SLAM2 PR#21); 180,000 ms on a Raspberry Pi 2 "
      "(ORB_SLAM#99);\n"
      "  DBoW2 YAML an hour for 50 MB (DBoW2#65); ~2 GB peak through FileStorage (ORB_SLAM#49)\n");
}

// Quantising
// ---------------------------------------------------------------------------------------

/// A tree as DBoW2 keeps it: nodes with a vector of children and a descriptor on the heap.
class HeapTree {
 public:
  explicit HeapTree(const std::vector<Row>& rows) : nodes_(rows.size() + 1) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Node& node = nodes_[i + 1];
      node.descriptor = std::make_unique<std::uint8_t[]>(kBytes);
      std::memcpy(node.descriptor.get(), rows[i].data(), kBytes);
      nodes_[i / kBranching].children.push_back(static_cast<std::uint32_t>(i + 1));
      if (i >= leaf_begin(rows)) node.word = word++;
    }
  }

  template <typename Distance>
  std::uint32_t word(const std::uint8_t* feature, const Distance& distance) const {
    std::uint32_t at = 0;
    do {
      const std::vector<std::uint32_t> children = nodes_[at].children;  // DBoW2 copies them
      at = children[0];
      std::uint32_t best = distance(feature, nodes_[at].descriptor.get());
      for (std::size_t i = 1; i < children.size(); ++i) {
        const std::uint32_t d = distance(feature, nodes_[children[i]].descriptor.get());
        if (d < best) {
          best = d;
          at = children[i];
        }
      }
    } while (!nodes_[at].children.empty());
    return nodes_[at].word;
  }

 private:
  struct Node {
    double weight = 0;
    std::vector<std::uint32_t> children;
    std::unique_ptr<std::uint8_t[]> descriptor;
    std::uint32_t word = 0;
  };
  std::vector<Node> nodes_;
};

std::uint64_t load_word(const std::uint8_t* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, 8);
  return word;
}

/// Counting bits with shifts and masks, as DBoW2 does.
std::uint32_t distance_by_arithmetic(const std::uint8_t* a, const std::uint8_t* b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBytes; i += 8) {
    std::uint64_t v = load_word(a + i) ^ load_word(b + i);
    v = v - ((v >> 1U) & 0x5555555555555555U);
    v = (v & 0x3333333333333333U) + ((v >> 2U) & 0x3333333333333333U);
    sum += (((v + (v >> 4U)) & 0x0f0f0f0f0f0f0f0fU) * 0x0101010101010101U) >> 56U;
  }
  return static_cast<std::uint32_t>(sum);
}

#if defined(__x86_64__)
#define LOOPTREE_POPCNT __attribute__((target("popcnt")))
#else
#define LOOPTREE_POPCNT
#endif
LOOPTREE_POPCNT std::uint32_t distance_by_instruction(const std::uint8_t* a,
                                                      const std::uint8_t* b) {
  int sum = 0;
  for (std::size_t i = 0; i < kBytes; i += 8) {
    sum += std::popcount(load_word(a + i) ^ load_word(b + i));
  }
  return static_cast<std::uint32_t>(sum);
}

/// Only the memory of a walk: for every descriptor the lines its path reads, in the same places and
/// the same order, with all addresses known beforehand. No way of quantising with this layout can
/// be faster than the memory delivers these lines.
class PathReplay {
 public:
  PathReplay(const Vocabulary& vocabulary, DescriptorView queries)
      : rows_(vocabulary.node_count() * kBytes + 64), records_(vocabulary.node_count()) {
    for (std::size_t level = 0; level <= kDepth; ++level) {
      paths_.push_back(vocabulary.quantize(queries, kDepth - level).nodes);
    }
    std::fill(rows_.begin(), rows_.end(), std::uint8_t{1});
    aligned_ = rows_.data() + (64 - reinterpret_cast<std::uintptr_t>(rows_.data()) % 64) % 64;
  }

  std::uint64_t run() const {
    constexpr std::size_t kAhead = 4;
    std::uint64_t sum = 0;
    const std::size_t count = paths_[0].size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) {
        visit(i + kAhead, [](const void* line) { __builtin_prefetch(line); });
      }
      visit(i, [&](const void* line) { sum += *static_cast<const std::uint64_t*>(line); });
    }
    return sum;
  }

  /// The same, each descriptor waiting for every step, as a walk of one at a time must.
  std::uint64_t run_dependent() const {
    std::uint64_t zero = 0;
    for (std::size_t i = 0; i < paths_[0].size(); ++i) {
      for (std::size_t level = 0; level <= kDepth; ++level) {
        const std::uint64_t node = paths_[level][i] + zero;
        zero = records_[node];
        if (level == kDepth) break;
        const std::uint8_t* children = aligned_ + node * kBranching * kBytes + zero;
        std::uint64_t sum = 0;
        for (std::size_t at = 0; at < kBranching * kBytes; at += 64) {
          sum += *reinterpret_cast<const std::uint64_t*>(children + at);
        }
        zero = sum >> 63U;
      }
    }
    return zero;
  }

 private:
  template <typename Visit>
  void visit(std::size_t i, const Visit& visit) const {
    for (std::size_t level = 0; level <= kDepth; ++level) {
      const std::size_t node = paths_[level][i];
      visit(&records_[node]);
      if (level == kDepth) break;
      const std::uint8_t* children = aligned_ + node * kBranching * kBytes;
      for (std::size_t at = 0; at < kBranching * kBytes; at += 64) visit(children + at);
    }
  }

  std::vector<std::uint8_t> rows_;
  std::vector<std::uint64_t> records_;
  const std::uint8_t* aligned_;
  std::vector<std::vector<std::uint32_t>> paths_;
};

Descriptors queries_near_words(const std::vector<Row>& nodes, std::size_t count) {
  Random random(3);
  Descriptors queries;
  queries.bytes.resize(count * kBytes);
  const std::size_t first = leaf_begin(nodes);
  for (std::size_t i = 0; i < count; ++i) {
    const Row row = random.near(nodes[first + random.next() % (nodes.size() - first)], 3);
    std::memcpy(&queries.bytes[i * kBytes], row.data(), kBytes);
  }
  return queries;
}

void bench_quantise(const Files& files, const std::vector<Row>& nodes) {
  constexpr std::size_t kQueries = 100000;
  constexpr int kRounds = 7;
  const Vocabulary mapped = Vocabulary::load(files.own);
  const Vocabulary loaded = Vocabulary::load(files.text);
  const HeapTree heap(nodes);
  const Descriptors queries = queries_near_words(nodes, kQueries);
  const PathReplay replay(loaded, queries.view());
  std::vector<WordId> ours;
  std::vector<std::uint32_t> arithmetic(kQueries);
  std::vector<std::uint32_t> instruction(kQueries);
  volatile std::uint64_t sink = 0;
  const auto per_query = [&](double ms) { return ms * 1e6 / kQueries; };

  const std::vector<double> times = interleaved(
      {
          [&] { ours = loaded.words(queries.view()); },
          [&] { ours = mapped.words(queries.view()); },
          [&] {
            for (std::size_t i = 0; i < kQueries; ++i) {
              arithmetic[i] = heap.word(&queries.bytes[i * kBytes], distance_by_arithmetic);
            }
          },
          [&] {
            for (std::size_t i = 0; i < kQueries; ++i) {
              instruction[i] = heap.word(&queries.bytes[i * kBytes], distance_by_instruction);
            }
          },
          [&] { sink = replay.run(); },
          [&] { sink = replay.run_dependent(); },
      },
      kRounds);
  for (std::size_t i = 0; i < kQueries; ++i) {
    if (ours[i].value != arithmetic[i] || arithmetic[i] != instruction[i]) {
      std::printf("words differ at %zu\n", i);
      std::exit(1);
    }
  }
  std::printf(
      "\nQuantising 100,000 descriptors of 256 bits against 1,000,000 words, one thread, %s\n",
      simd_level().c_str());
  std::printf("  looptree, in memory                %7.0f ns per descriptor\n",
              per_query(times[0]));
  std::printf("  looptree, mapped file              %7.0f ns\n", per_query(times[1]));
  std::printf("  heap nodes as DBoW2                %7.0f ns   %.1fx\n", per_query(times[2]),
              times[2] / times[0]);
  std::printf("  heap nodes, popcnt instruction     %7.0f ns   %.1fx\n", per_query(times[3]),
              times[3] / times[0]);
  std::printf("  memory alone, overlapped           %7.0f ns   looptree is %.2fx of this bound\n",
              per_query(times[4]), times[0] / times[4]);
  std::printf("  memory alone, one step at a time   %7.0f ns   looptree is %.2fx of this bound\n",
              per_query(times[5]), times[0] / times[5]);

  for (const std::string& level : simd_levels()) {
    force_simd_level(level);
    const double time = interleaved({[&] { ours = loaded.words(queries.view()); }}, 5)[0];
    std::printf("  looptree, %-10s               %7.0f ns\n", level.c_str(), per_query(time));
  }
  force_simd_level("");
}

// Training
// -----------------------------------------------------------------------------------------

void bench_train(std::size_t rows) {
  constexpr std::size_t kPerImage = 1000;
  rows = std::max<std::size_t>(1, rows / kPerImage) * kPerImage;
  Random random(4);
  Descriptors descriptors;
  descriptors.bytes.resize(rows * kBytes);
  std::vector<Row> places(rows / 20 + 1);
  for (Row& place : places) place = random.row();
  for (std::size_t i = 0; i < rows; ++i) {
    const Row row = random.near(places[random.next() % places.size()], 3);
    std::memcpy(&descriptors.bytes[i * kBytes], row.data(), kBytes);
  }
  std::ofstream("/proc/self/clear_refs") << "5";
  std::uint32_t words = 0;
  const double time = milliseconds([&] {
    words = train_vocabulary(descriptors.view(),
                             std::vector<std::size_t>(rows / kPerImage, kPerImage), {})
                .size();
  });
  std::printf("\nTraining k=10, L=6 on %zu descriptors of 256 bits, %zu threads\n", rows,
              thread_count());
  std::printf("  %u words in %.1f s, %.0f descriptors per second, peak %.0f MB\n", words,
              time / 1e3, static_cast<double>(rows) / time * 1e3, memory_mb("VmHWM:"));
}

}  // namespace

int main(int argc, char** argv) {
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
    const Files files(nodes);
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
