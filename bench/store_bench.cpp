// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What a map on disk costs: bytes per frame, frames appended per second at each durability, time
// to open. Frames are made up, with as many words as ORB gives on KITTI 00 (docs/store.md).
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/parallel.hpp"
#include "looptree/dataset/word_stream.hpp"
#include "looptree/index/snapshot.hpp"
#include "looptree/store/map.hpp"

namespace {

using namespace looptree;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Frames of a made-up drive, with the words and weights of KITTI 00.
class Route {
 public:
  explicit Route(std::uint32_t vocabulary) : stream_(options(vocabulary)) {}

  Histogram next() { return make_histogram(stream_.frame(next_++), stream_.word_weights()); }
  std::vector<double> weights() const {
    return {stream_.word_weights().begin(), stream_.word_weights().end()};
  }

 private:
  static WordStreamOptions options(std::uint32_t vocabulary) {
    WordStreamOptions options =
        vocabulary > 100'000 ? WordStreamOptions::million() : WordStreamOptions{};
    options.vocabulary_size = vocabulary;
    return options;
  }

  WordStream stream_;
  std::uint64_t next_ = 0;
};

struct Setup {
  std::filesystem::path folder;
  std::uint32_t vocabulary = 10000;
  std::string topology = "d1";
};

Map create(const Setup& setup, const std::string& name, const MapOpenOptions& open) {
  for (const char* suffix : {"", "-wal", "-shm", "-lock", "-snapshot", "-acked"}) {
    std::filesystem::remove(setup.folder / (name + suffix));
  }
  MapOptions options;
  options.vocabulary.words = setup.vocabulary;
  options.vocabulary.word_weights = Route(setup.vocabulary).weights();
  options.topology = Topology::parse(setup.topology);
  return Map::create(setup.folder / name, options, open);
}

void append(const Setup& setup) {
  struct Choice {
    const char* name;
    Durability durability;
    std::size_t frames;
  };
  for (const Choice& choice :
       {Choice{"every frame", Durability::every_frame(), 1000},
        Choice{"every 10", Durability::every(10), 4000},
        Choice{"every 100", Durability::every(100), 10000},
        Choice{"every 1000", Durability::every(1000), 10000},
        Choice{"every 100 ms", Durability::every(std::chrono::milliseconds(100)), 10000},
        Choice{"every 1 s", Durability::every(std::chrono::milliseconds(1000)), 10000}}) {
    Route route(setup.vocabulary);
    std::vector<Histogram> frames;
    for (std::size_t i = 0; i < choice.frames; ++i) frames.push_back(route.next());
    Map map = create(setup, "append.map", {.durability = choice.durability});
    double longest = 0;
    const auto start = Clock::now();
    for (const Histogram& frame : frames) {
      const auto before = Clock::now();
      map.insert(frame);
      longest = std::max(longest, seconds_since(before));
    }
    map.close();
    const double seconds = seconds_since(start);
    fmt::print("append, {:12}  {:8.0f} frames/s, longest call {:6.1f} ms\n", choice.name,
               static_cast<double>(choice.frames) / seconds, longest * 1e3);
  }
}

/// Opens for reading and says how long it took; a few queries then say what a search costs.
void open_once(const Setup& setup, const std::string& how, std::size_t threads,
               std::size_t snapshot_every) {
  const std::clock_t cpu = std::clock();  // of all threads; others on the machine do not count
  const auto start = Clock::now();
  const Map map =
      Map::open(setup.folder / "open.map",
                {.access = MapAccess::read, .threads = threads, .snapshot_every = snapshot_every});
  const double seconds = seconds_since(start);
  const double cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  Route route(setup.vocabulary);
  std::vector<double> queries;
  for (int i = 0; i < 40; ++i) {
    const Histogram probe = route.next();
    const auto before = Clock::now();
    map.query(probe, {.threshold = 0.18});
    queries.push_back(seconds_since(before));
  }
  std::sort(queries.begin(), queries.end());
  fmt::print("open    {:8.2f} s, {:.2f} s of CPU, {} ({} frames, {} threads); query {:.2f} ms\n",
             seconds, cpu_seconds, how, map.size(), threads, queries[queries.size() / 2] * 1e3);
}

void make(const Setup& setup, std::size_t count) {
  Route route(setup.vocabulary);
  std::size_t words = 0;
  double longest = 0;
  Map map = create(setup, "open.map", {.durability = Durability::every(1000)});
  for (std::size_t i = 0; i < count; ++i) {
    const Histogram frame = route.next();
    words += frame.size();
    const auto before = Clock::now();
    map.insert(frame);
    longest = std::max(longest, seconds_since(before));
  }
  const auto frames = static_cast<double>(count);
  fmt::print("memory  {:8.0f} bytes/frame in the index\n", map.index()->memory().bytes_per_frame());
  {
    const auto fixing = Clock::now();
    const IndexSnapshot snapshot(map.index());
    fmt::print("fix     {:8.1f} ms for which a snapshot holds frames up\n",
               seconds_since(fixing) * 1e3);
  }
  const auto before = Clock::now();
  map.close();
  fmt::print("close   {:8.2f} s; longest insert {:.1f} ms\n", seconds_since(before), longest * 1e3);
  fmt::print("words   {:8.0f} per frame\n", static_cast<double>(words) / frames);
  for (const char* suffix : {"", "-snapshot"}) {
    const auto file = setup.folder / (std::string("open.map") + suffix);
    if (!std::filesystem::exists(file)) continue;
    fmt::print("disk    {:8.0f} bytes/frame, {}\n",
               static_cast<double>(std::filesystem::file_size(file)) / frames,
               *suffix ? "snapshot" : "map");
  }
}

void size_and_open(const Setup& setup, std::size_t count) {
  if (count > 0) make(setup, count);  // 0: the map that is there
  for (int i = 0; i < 3; ++i) open_once(setup, "with snapshot", thread_count(), 10000);
  open_once(setup, "by rebuild", thread_count(), 0);
  open_once(setup, "by rebuild", 1, 0);
}

void verify(const Setup& setup) {
  const auto start = Clock::now();
  const bool sound = verify_map(setup.folder / "open.map").sound();
  fmt::print("verify  {:8.2f} s, {}\n", seconds_since(start), sound ? "sound" : "DAMAGED");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr,
               "usage: store_bench append|open|verify FOLDER WORDS [FRAMES] [TOPOLOGY]\n"
               "WORDS is the size of the vocabulary, FRAMES the number to open (10000; 0: those of "
               "the last run).\n");
    return 2;
  }
  const std::string what = argv[1];
  Setup setup;
  setup.folder = argv[2];
  setup.vocabulary = static_cast<std::uint32_t>(std::atoll(argv[3]));
  if (argc > 5) setup.topology = argv[5];
  if (what == "append") append(setup);
  if (what == "open") size_and_open(setup, argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 10000);
  if (what == "verify") verify(setup);
  return 0;
}
