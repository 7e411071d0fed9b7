// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace looptree {
namespace {

TEST(ParallelFor, RunsEveryItemOnce) {
  for (const std::size_t threads : {0, 1, 2, 7}) {
    for (const std::size_t count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> runs(count);
      parallel_for(count, threads, [&](std::size_t i) { ++runs[i]; });
      for (const auto& run : runs) EXPECT_EQ(run.load(), 1);
    }
  }
}

TEST(ParallelFor, PassesOnTheFirstExceptionAndStaysUsable) {
  EXPECT_THROW(parallel_for(100, 4,
                            [](std::size_t i) {
                              if (i == 50) throw std::runtime_error("item 50");
                            }),
               std::runtime_error);
  std::atomic<int> runs = 0;
  parallel_for(10, 4, [&](std::size_t) { ++runs; });
  EXPECT_EQ(runs.load(), 10);
}

TEST(ParallelFor, NestedCallsStayOnTheirThread) {
  std::atomic<int> runs = 0;
  parallel_for(4, 4, [&](std::size_t) {
    const auto self = std::this_thread::get_id();
    parallel_for(5, 4, [&](std::size_t) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      ++runs;
    });
  });
  EXPECT_EQ(runs.load(), 20);
}

TEST(ParallelFor, ServesSeveralCallersAtOnce) {
  std::atomic<int> runs = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) parallel_for(8, 3, [&](std::size_t) { ++runs; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(runs.load(), 4 * 50 * 8);
}

}  // namespace
}  // namespace looptree
