// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// Several processes on one map: readers follow a writer that never pauses, and a second writer is
// turned away.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "looptree/common/error.hpp"
#include "looptree/store/map.hpp"

#include "tests/store/scripted_map.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReaders = 3;

/// What the processes tell each other, in memory they share.
struct Board {
  std::atomic<std::uint32_t> acknowledged{0};  // frames
  std::atomic<bool> done{false};
  std::atomic<std::uint32_t> refreshes[kReaders];
  std::atomic<std::uint32_t> longest_us[kReaders];
};

Board& make_board() {
  void* memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  return *new (memory) Board;
}

/// Runs in a child: refreshes until the writer is done, and returns what went wrong.
std::string follow(const std::filesystem::path& path, const test::Script& script, Board& board,
                   std::size_t self) {
  Map map = Map::open(path, {.access = MapAccess::read, .threads = 1});
  for (bool last = false; !last;) {
    last = board.done;
    const std::uint32_t acknowledged = board.acknowledged;
    const auto start = Clock::now();
    map.refresh();
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
    ++board.refreshes[self];
    board.longest_us[self] =
        std::max(board.longest_us[self].load(), static_cast<std::uint32_t>(took.count()));
    if (map.next_id().value < acknowledged) return "a frame that was acknowledged is not seen";
    for (const Match& match : map.query(script.probes()[0]).matches) {
      if (!map.info(match.frame)) return "a match without a row";
    }
  }
  const PooledIndex right = script.index_after(script.steps().size(), map.topology());
  if (map.next_id() != right.next_id()) return "frames are missing at the end";
  for (const Histogram& probe : script.probes()) {
    if (map.query(probe).matches != right.query(probe).matches) return "an answer differs";
  }
  return "";
}

template <typename Body>
pid_t start_process(Body body) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    const std::string problem = body();
    if (problem.empty()) _exit(0);
    std::cerr << "child: " << problem << "\n";
  } catch (const std::exception& error) {
    std::cerr << "child: " << error.what() << "\n";
  }
  _exit(1);
}

void expect_success(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Processes, ReadersSeeEveryCommitWhileAnotherWrites) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "shared.map";
  const test::Script script(31, 1500);
  Map::create(path, test::script_map("d2b4-mean")).close();
  Board& board = make_board();
  std::vector<pid_t> readers;
  for (std::size_t i = 0; i < kReaders; ++i) {
    readers.push_back(start_process([&, i] { return follow(path, script, board, i); }));
  }
  {
    // A small log is checkpointed and started over all the time, under the readers' eyes.
    Map map = Map::open(path, {.durability = Durability::every(4)});
    for (std::size_t i = 0; i < script.steps().size(); ++i) {
      script.apply(i, map);
      if (i % 10 != 9) continue;
      map.flush();
      board.acknowledged = map.next_id().value;
    }
  }
  board.acknowledged = static_cast<std::uint32_t>(std::count_if(
      script.steps().begin(), script.steps().end(), [](const auto& step) { return !step.erases; }));
  board.done = true;
  for (const pid_t reader : readers) expect_success(reader);
  for (std::size_t i = 0; i < kReaders; ++i) {
    std::cout << "reader " << i << ": " << board.refreshes[i] << " refreshes, longest "
              << board.longest_us[i] / 1000.0 << " ms\n";
  }
  EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
}

TEST(Processes, ASecondWriterIsToldWhoIsTheFirst) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "held.map";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t first = start_process([&] {
    const Map map = Map::create(path, test::script_map("d1"));
    (void)!write(ready[1], "x", 1);
    pause();
    return std::string();
  });
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  test::expect_error(ErrorKind::io, "found process " + std::to_string(first) + " on ",
                     [&] { Map::open(path); });
  EXPECT_EQ(Map::open(path, {.access = MapAccess::read}).size(), 0u);
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  EXPECT_EQ(Map::open(path).size(), 0u);  // the dead hold no locks
}

}  // namespace
}  // namespace looptree
