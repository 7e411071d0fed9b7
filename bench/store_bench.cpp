// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What a map on disk costs: bytes per frame, frames appended per second at each durability, time
// to open. Frames are made up, with as many words as ORB gives on KITTI 00 (docs/store.md).
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "looptree/common/parallel.hpp"
#include "looptree/common/random.hpp"
#include "looptree/store/map.hpp"
#include "looptree/store/word_blob.hpp"

namespace {

using namespace looptree;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Images of a route: words drawn anew for a tenth of each image, the rest stays in view.
class Route {
 public:
  Route(std::uint32_t vocabulary, std::size_t features) : vocabulary_(vocabulary), random_(1) {
    for (std::uint32_t i = 0; i < vocabulary; ++i) idf_.push_back(1 + 6 * random_.uniform());
    for (std::size_t i = 0; i < features; ++i) seen_.push_back(draw());
  }

  Histogram next() {
    for (WordId& word : seen_) {
      if (random_.below(10) == 0) word = draw();
    }
    return make_histogram(seen_, idf_);
  }

 private:
  WordId draw() { return WordId{static_cast<std::uint32_t>(random_.below(vocabulary_))}; }

  std::uint32_t vocabulary_;
  Random random_;
  std::vector<double> idf_;
  std::vector<WordId> seen_;
};

struct Setup {
  std::filesystem::path folder;
  std::uint32_t vocabulary = 10000;
  std::size_t features = 1230;  // 1150 distinct words of 10,000, 1229 of a million
  std::string topology = "d1";
};

Map create(const Setup& setup, const std::string& name, const MapOpenOptions& open) {
  for (const char* suffix : {"", "-wal", "-shm", "-lock"}) {
    std::filesystem::remove(setup.folder / (name + suffix));
  }
  MapOptions options;
  options.vocabulary.words = setup.vocabulary;
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
    Route route(setup.vocabulary, setup.features);
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

void size_and_open(const Setup& setup, std::size_t count) {
  Route route(setup.vocabulary, setup.features);
  std::size_t words = 0;
  std::size_t blobs = 0;
  {
    Map map = create(setup, "open.map", {.durability = Durability::every(1000)});
    for (std::size_t i = 0; i < count; ++i) {
      const Histogram frame = route.next();
      words += frame.size();
      blobs += encode_words(frame, FrameId{0}).size();
      map.insert(frame);
    }
    fmt::print("memory  {:8.0f} bytes/frame in the index\n",
               map.index()->memory().bytes_per_frame());
  }
  const auto frames = static_cast<double>(count);
  const auto bytes = static_cast<double>(std::filesystem::file_size(setup.folder / "open.map"));
  fmt::print("disk    {:8.0f} bytes/frame, {:.0f} of them words; {:.0f} words/frame\n",
             bytes / frames, static_cast<double>(blobs) / frames,
             static_cast<double>(words) / frames);
  for (const std::size_t threads : {std::size_t{1}, thread_count()}) {
    const auto start = Clock::now();
    const Map map =
        Map::open(setup.folder / "open.map", {.access = MapAccess::read, .threads = threads});
    fmt::print("open    {:8.2f} s for {} frames on {} threads\n", seconds_since(start), map.size(),
               threads);
  }
  const auto start = Clock::now();
  const bool sound = verify_map(setup.folder / "open.map").sound();
  fmt::print("verify  {:8.2f} s, {}\n", seconds_since(start), sound ? "sound" : "DAMAGED");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr,
               "usage: store_bench append|open FOLDER WORDS [FRAMES] [TOPOLOGY]\n"
               "WORDS is the size of the vocabulary, FRAMES the number to open (10000).\n");
    return 2;
  }
  const std::string what = argv[1];
  Setup setup;
  setup.folder = argv[2];
  setup.vocabulary = static_cast<std::uint32_t>(std::atoll(argv[3]));
  if (argc > 5) setup.topology = argv[5];
  if (what == "append") append(setup);
  if (what == "open") size_and_open(setup, argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 10000);
  return 0;
}
