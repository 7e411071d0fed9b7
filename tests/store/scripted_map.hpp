// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/index/pooled_index.hpp"
#include "looptree/store/map.hpp"

#include "tests/index/random_route.hpp"
#include "tests/support.hpp"

namespace looptree::test {

/// Removes a map with everything SQLite and the lock put beside it.
inline void remove_map(const std::filesystem::path& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-lock", "-snapshot", "-acked"}) {
    std::filesystem::remove(path.string() + suffix);
  }
}

inline constexpr std::uint32_t kScriptWords = 80;

/// What a robot does to a map, step by step: mostly inserts, some erasures. The same for the same
/// seed, so that after any number of steps everybody knows what must be there.
class Script {
 public:
  struct Step {
    bool erases = false;
    FrameId frame;        // to erase
    Histogram histogram;  // to insert
    SessionId session;
  };

  explicit Script(std::uint64_t seed, std::size_t steps) : route_(seed, kScriptWords) {
    Random random(seed + 1);
    std::uint32_t frames = 0;
    while (steps_.size() < steps) {
      Step step;
      if (frames > 4 && random.below(4) == 0) {
        step.erases = true;
        step.frame = FrameId{static_cast<std::uint32_t>(random.below(frames))};
      } else {
        step.histogram = route_.next();
        step.session = SessionId{frames / 30};
        ++frames;
      }
      steps_.push_back(step);
    }
    for (int i = 0; i < 6; ++i) probes_.push_back(route_.next());
  }

  const std::vector<Step>& steps() const { return steps_; }

  /// Applies step i to a Map, a PooledIndex or an ExhaustiveIndex.
  template <typename Target>
  void apply(std::size_t i, Target& target) const {
    const Step& step = steps_[i];
    if (step.erases) {
      target.erase(step.frame);
    } else {
      target.insert(step.histogram, {.session = step.session});
    }
  }
  void apply(std::size_t i, Map& map) const {
    const Step& step = steps_[i];
    if (step.erases) {
      map.erase(step.frame);
    } else {
      map.insert(step.histogram, info(step, map.next_id().value));
    }
  }
  static FrameInfo info(const Step& step, std::uint32_t id) {
    FrameInfo info{.session = step.session, .name = "image " + std::to_string(id)};
    if (id % 3 != 0) info.time_s = 0.1 * id;
    if (id % 2 == 0) info.pose = Pose{.translation = {0.5 * id, 0.25, -0.0}};
    return info;
  }

  /// The index after the first `steps` steps, in memory only.
  PooledIndex index_after(std::size_t steps, const Topology& topology) const {
    PooledIndex index({kScriptWords, topology});
    for (std::size_t i = 0; i < steps; ++i) apply(i, index);
    return index;
  }

  const std::vector<Histogram>& probes() const { return probes_; }
  /// What one occurrence of each word weighs in these histograms.
  const std::vector<double>& word_weights() const { return route_.idf(); }

 private:
  RandomRoute route_;
  std::vector<Step> steps_;
  std::vector<Histogram> probes_;
};

inline MapOptions script_map(const std::string& topology) {
  return {{.hash = 0xFEDCBA9876543210u, .words = kScriptWords}, Topology::parse(topology)};
}

/// A map that knows what the words weigh, so that it keeps them as counts.
inline MapOptions script_map(const std::string& topology, const Script& script) {
  MapOptions options = script_map(topology);
  options.vocabulary.word_weights = script.word_weights();
  return options;
}

/// Expects the same frames and, to the bit, the same answers.
inline void expect_same(const PooledIndex& found, const PooledIndex& right,
                        const std::vector<Histogram>& probes) {
  ASSERT_EQ(found.next_id(), right.next_id());
  ASSERT_EQ(found.size(), right.size());
  for (std::uint32_t id = 0; id < right.next_id().value; ++id) {
    ASSERT_EQ(found.histogram(FrameId{id}), right.histogram(FrameId{id})) << "frame " << id;
    ASSERT_EQ(found.session(FrameId{id}), right.session(FrameId{id})) << "frame " << id;
  }
  for (const Histogram& probe : probes) {
    for (const double threshold : {0.0, 0.1}) {
      const QueryOptions options = {.top_k = 20, .threshold = threshold};
      ASSERT_EQ(found.query(probe, options).matches, right.query(probe, options).matches);
      ASSERT_EQ(found.query(probe, options).layers, right.query(probe, options).layers);
    }
  }
}

}  // namespace looptree::test
