// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/core/huge_pages.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace looptree::detail {
namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;

TEST(LargeMemory, IsAlignedAndAllOfItCanBeUsed) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{64}, kHuge / 2, kHuge / 2 + 1, kHuge,
                                  kHuge + 1, 5 * kHuge - 3}) {
    auto* memory = static_cast<std::uint8_t*>(allocate_huge(bytes));
    const std::size_t alignment = bytes > kHuge / 2 ? kHuge : 64;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0u) << bytes;
    memory[0] = 1;
    memory[bytes - 1] = 2;
    memory[huge_bytes(bytes) - 1] = 3;
    free_huge(memory, bytes);
  }
}

TEST(LargeMemory, RoundsLargePiecesUpToWholePages) {
  EXPECT_EQ(huge_bytes(1000), 1000u);
  EXPECT_EQ(huge_bytes(kHuge / 4), kHuge / 4);
  EXPECT_EQ(huge_bytes(kHuge / 4 + 1), kHuge);
  EXPECT_EQ(huge_bytes(kHuge + 1), 2 * kHuge);
}

TEST(LargeMemory, HoldsAVectorThatGrowsAndMoves) {
  HugeVector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) numbers.push_back(i);
  HugeVector<std::uint32_t> moved = std::move(numbers);
  EXPECT_EQ(std::accumulate(moved.begin(), moved.end(), std::uint64_t{0}), 499'999'500'000u);
}

/// Waits for the end of a process, ten seconds at most; what it ended with, or -1.
int status_of(pid_t process) {
  for (int i = 0; i < 1000; ++i) {
    int status = 0;
    if (::waitpid(process, &status, WNOHANG) == process) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  return -1;
}

TEST(Beside, AProcessThatForkedGoesOnAndEndsWithoutTheThread) {
  Beside<int> made;
  made.ask([] { return 5; });
  for (int i = 0; i < 1000 && made.look() == nullptr; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_NE(made.look(), nullptr) << "the thread is there";
  const pid_t child = ::fork();
  if (child == 0) {
    Beside<int> asked;
    asked.ask([] { return 7; });
    std::exit(*made.take() == 5 && asked.take() == nullptr ? 0 : 1);  // with what ends at exit
  }
  EXPECT_EQ(status_of(child), 0) << "it ended by itself, and found what there was before";
  made.ask([] { return 6; });
}

}  // namespace
}  // namespace looptree::detail
