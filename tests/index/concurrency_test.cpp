// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/index/exhaustive_index.hpp"
#include "looptree/index/pooled_index.hpp"

#include "tests/index/random_route.hpp"

namespace looptree {
namespace {

constexpr std::uint32_t kWords = 80;

/// Readers ask all the while one thread inserts and erases. The writer follows a fixed script, so
/// the oracle can be asked beforehand what is right after each quantum; every answer must be one of
/// those.
TEST(Concurrency, EveryQuerySeesAStateBetweenTwoChanges) {
  for (const char* name : {"d1", "d2b4-max", "d3b3-sum"}) {
    SCOPED_TRACE(name);
    test::RandomRoute route(17, kWords);
    const std::vector<Histogram> frames = route.take(300);
    const Histogram query = route.next();
    const QueryOptions options = {.top_k = 5, .threshold = 0.05};
    const auto erased_after = [](std::uint32_t frame) { return frame >= 40 && frame % 2 == 0; };

    ExhaustiveIndex oracle(kWords);
    std::vector<std::vector<Match>> right = {oracle.query(query, options).matches};
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
      oracle.insert(frames[i]);
      right.push_back(oracle.query(query, options).matches);
      if (!erased_after(i)) continue;
      oracle.erase(FrameId{i - 40});
      right.push_back(oracle.query(query, options).matches);
    }

    PooledIndex index({kWords, Topology::parse(name)});
    std::atomic<bool> done = false;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> readers;
    for (int r = 0; r < 3; ++r) {
      readers.emplace_back([&, r] {
        std::size_t state = 0;  // a reader never sees the index go back
        while (!done) {
          const std::vector<Match> matches =
              r == 0 ? index.query(std::vector{query}, options)[0].matches
                     : index.query(query, options).matches;
          while (state < right.size() && right[state] != matches) ++state;
          if (state == right.size()) {
            ++wrong;
            return;
          }
          (void)index.size();
          (void)index.histogram(FrameId{0});
          (void)index.memory();
        }
      });
    }
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
      index.insert(frames[i]);
      if (erased_after(i)) index.erase(FrameId{i - 40});
      if (i % 16 == 0) std::this_thread::yield();
    }
    done = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(index.query(query, options).matches, right.back());
  }
}

TEST(Concurrency, WritersTakeTurns) {
  test::RandomRoute route(18, kWords);
  const std::vector<Histogram> frames = route.take(50);
  PooledIndex index({kWords, Topology::parse("d2b4-mean")});
  std::vector<std::thread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&] {
      for (const Histogram& frame : frames) {
        const FrameId id = index.insert(frame);
        if (id.value % 3 == 0) index.erase(id);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(index.next_id(), FrameId{150});
  EXPECT_EQ(index.size(), 100u);
}

}  // namespace
}  // namespace looptree
