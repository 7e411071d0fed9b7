// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/serve/gate.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace looptree::cli {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
constexpr milliseconds kLong{60'000};

TEST(Gate, LetsInAsManyAsThereArePlaces) {
  Gate gate(2, 0, kLong);
  auto one = gate.enter();
  const auto two = gate.enter();
  EXPECT_TRUE(one && two);
  EXPECT_FALSE(gate.enter());  // nobody may wait: turned away at once
  one.reset();
  EXPECT_TRUE(gate.enter());
}

TEST(Gate, TurnsAwayWhoWaitedTooLong) {
  Gate gate(1, 1, milliseconds(30));
  auto inside = gate.enter();
  const auto start = Clock::now();
  EXPECT_FALSE(gate.enter());
  EXPECT_GE(Clock::now() - start, milliseconds(30));
  // Nobody is left in line: the place is free again.
  inside.reset();
  EXPECT_TRUE(gate.enter());
}

TEST(Gate, LetsThemInAsTheyCame) {
  Gate gate(1, 8, kLong);
  auto inside = gate.enter();
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto pass = gate.enter();
      ASSERT_TRUE(pass);
      const std::lock_guard lock(mutex);
      order.push_back(i);
    });
    while (gate.waiting() <= static_cast<std::size_t>(i)) std::this_thread::yield();
  }
  EXPECT_FALSE(gate.enter());  // the line is full
  inside.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Gate, HoldsWhateverItsThreadsDo) {
  Gate gate(3, 4, milliseconds(1));
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> entered{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 12; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 400; ++i) {
        const auto pass = gate.enter();
        if (!pass) continue;
        const int now = ++inside;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
        ++entered;
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  EXPECT_GT(entered, 0);
  // All places are there again, and no more.
  std::vector<Gate::Pass> all;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(all.emplace_back(gate.enter()));
  EXPECT_FALSE(gate.enter());
}

}  // namespace
}  // namespace looptree::cli
