// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// A writer in another process is killed at random instants. After each kill the map must open and
// be sound, hold every change the writer had acknowledged, and answer as an index that made the
// same changes in memory. Runs for LOOPTREE_CRASH_TEST_S seconds, by default a few.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "looptree/common/random.hpp"
#include "looptree/store/map.hpp"

#include "tests/store/scripted_map.hpp"

namespace looptree {
namespace {

using Clock = std::chrono::steady_clock;

struct Trial {
  std::string topology;
  Durability durability;
  std::uint64_t seed = 0;
  std::size_t steps = 400;
  std::size_t compact_every = 0;  // steps; 0: never
};

/// Runs in the child: continues the script from where the map is, and says after each step that
/// it is acknowledged. Never returns.
[[noreturn]] void write_until_killed(const std::filesystem::path& path, const Trial& trial,
                                     std::size_t first, int acknowledge) {
  try {
    const test::Script script(trial.seed, trial.steps);
    Map map = Map::open_or_create(path, test::script_map(trial.topology, script),
                                  {.durability = trial.durability, .snapshot_every = 20});
    for (std::size_t i = first; i < trial.steps; ++i) {
      script.apply(i, map);
      if (trial.compact_every > 0 && i % trial.compact_every == trial.compact_every - 1) {
        map.compact();
      }
      if (trial.durability.changes > 1 && i % 16 != 15) continue;
      map.flush();
      const auto done = static_cast<std::uint32_t>(i + 1);
      if (write(acknowledge, &done, sizeof(done)) != sizeof(done)) _exit(3);
    }
    map.close();
    _exit(0);
  } catch (const std::exception& error) {
    std::cerr << "writer: " << error.what() << "\n";
    _exit(2);
  }
}

struct Outcome {
  std::size_t acknowledged = 0;
  bool finished = false;
};

/// Starts a writer, kills it after `patience`, and returns what it had acknowledged.
Outcome run_writer(const std::filesystem::path& path, const Trial& trial, std::size_t first,
                   std::chrono::microseconds patience) {
  int channel[2];
  if (pipe(channel) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(channel[0]);
    write_until_killed(path, trial, first, channel[1]);
  }
  close(channel[1]);
  std::this_thread::sleep_for(patience);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome{first, WIFEXITED(status) && WEXITSTATUS(status) == 0};
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) != 0) << "the writer failed";
  for (std::uint32_t done = 0; read(channel[0], &done, sizeof(done)) == sizeof(done);) {
    outcome.acknowledged = done;
  }
  close(channel[0]);
  return outcome;
}

/// The number of script steps the map has seen: as many as give it its frames and erasures. Steps
/// that erase what is not there change nothing, so several may fit; the largest is returned.
std::size_t steps_seen(const Map& map, const test::Script& script, std::size_t at_least) {
  ExhaustiveIndex replica(test::kScriptWords);
  std::size_t seen = 0;
  std::uint32_t frames = 0;
  for (std::size_t i = 0; i < script.steps().size(); ++i) {
    script.apply(i, replica);
    frames += script.steps()[i].erases ? 0 : 1;
    if (frames > map.next_id().value) break;
    if (i + 1 >= at_least && frames == map.next_id().value && replica.size() == map.size()) {
      seen = i + 1;
    }
  }
  return seen;
}

/// Expects the answers of an index that made the first `steps` steps.
void expect_answers(const Map& map, const test::Script& script, std::size_t steps,
                    const Trial& trial) {
  const Topology topology = Topology::parse(trial.topology);
  const PooledIndex right = script.index_after(steps, topology);
  if (trial.compact_every == 0) {
    test::expect_same(*map.index(), right, script.probes());
    return;
  }
  ASSERT_EQ(map.next_id(), right.next_id());
  for (const Histogram& probe : script.probes()) {
    ASSERT_EQ(map.query(probe).matches, right.query(probe).matches);
  }
}

double seconds_to_run() {
  const char* given = std::getenv("LOOPTREE_CRASH_TEST_S");
  return given != nullptr ? std::atof(given) : 8;
}

TEST(Crash, NothingAcknowledgedIsEverLost) {
  using std::chrono::microseconds;
  const Trial kinds[] = {{"d2b4-mean", Durability::every_frame()},
                         {"d1", Durability::every(10)},
                         {"d3b3-mean", Durability::every(std::chrono::milliseconds(2))},
                         {"d2b4-max", Durability::every_frame(), 0, 400, 30}};
  const auto end = Clock::now() + std::chrono::duration<double>(seconds_to_run());
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "crash.map";
  std::size_t kills = 0;
  std::size_t maps = 0;
  for (std::uint64_t seed = 1; Clock::now() < end; ++seed) {
    Trial trial = kinds[seed % std::size(kinds)];
    trial.seed = seed;
    SCOPED_TRACE(trial.topology + ", seed " + std::to_string(seed));
    Random random(seed);
    const test::Script script(seed, trial.steps);
    test::remove_map(path);
    ++maps;
    std::size_t known = 0;  // steps that are surely in the map
    for (bool finished = false; !finished && Clock::now() < end;) {
      // Often within the first moments, where the file is made; sometimes much later.
      const microseconds patience(random.below(random.below(3) == 0 ? 5000 : 150000));
      const Outcome outcome = run_writer(path, trial, known, patience);
      finished = outcome.finished;
      ++kills;
      if (!std::filesystem::exists(path)) continue;
      const VerifyResult verdict = verify_map(path);
      if (outcome.acknowledged == 0 && known == 0 && !verdict.sound()) {
        continue;  // killed before the first commit: nothing was promised
      }
      ASSERT_EQ(verdict.problems, std::vector<std::string>());
      const Map map = Map::open(path, {.snapshot_every = 20});
      const std::size_t seen = steps_seen(map, script, outcome.acknowledged);
      ASSERT_GE(seen, outcome.acknowledged) << "acknowledged changes are missing";
      expect_answers(map, script, seen, trial);
      if (HasFatalFailure()) return;
      known = seen;
    }
  }
  std::cout << "killed " << kills << " writers of " << maps << " maps\n";
  EXPECT_GT(kills, 10u);
}

}  // namespace
}  // namespace looptree
