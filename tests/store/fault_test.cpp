// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// Every write of a short life of a map fails once, in every way a write can fail. A change that
// throws must not have happened, everything before it must be safe, and once the trouble is over
// work goes on.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/error.hpp"
#include "looptree/store/map.hpp"

#include "tests/store/faulty_vfs.hpp"
#include "tests/store/scripted_map.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::Fault;
using test::FaultyVfs;

constexpr std::size_t kSteps = 14;
const char* const kTopology = "d2b3-mean";

class FaultTest : public testing::TestWithParam<std::tuple<Fault, bool>> {
 protected:
  void SetUp() override { FaultyVfs::install(); }
  void TearDown() override { FaultyVfs::heal(); }

  /// Calls `life(n)` with the n-th write failing, for n = 1, 2, ... until none is left to fail.
  void for_every_write(const std::function<void()>& life) {
    const auto [fault, stays] = GetParam();
    for (std::size_t n = 1; n < 10000; ++n) {
      SCOPED_TRACE("write " + std::to_string(n));
      test::remove_map(path);
      FaultyVfs::heal();
      arm = [fault = fault, stays = stays, n] { FaultyVfs::fail_at(fault, n, stays); };
      life();
      if (HasFatalFailure() || HasNonfatalFailure()) return;
      if (!struck) {
        EXPECT_GT(n, 1u);
        return;
      }
      struck = false;
    }
    ADD_FAILURE() << "writes without end";
  }

  /// Tries until it works, healing after the first failure; the failure must be an honest one.
  void insist(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io) << error.what();
      EXPECT_TRUE(FaultyVfs::struck()) << error.what();
      on_failure();
      struck = true;
      FaultyVfs::heal();
      work();
    }
    struck = struck || FaultyVfs::struck();
  }

  /// The files as they lie on disk, as a crash at this moment would leave them.
  void expect_after_crash(std::size_t steps) const {
    const std::filesystem::path copy = folder / "copy.map";
    test::remove_map(copy);
    std::filesystem::copy_file(path, copy);
    const std::string log = path.string() + "-wal";
    if (std::filesystem::exists(log)) std::filesystem::copy_file(log, copy.string() + "-wal");
    FaultyVfs::heal();
    EXPECT_EQ(verify_map(copy).problems, std::vector<std::string>());
    const Map map = Map::open(copy);
    // A commit that failed may have reached the disk all the same; an earlier one must have.
    const std::size_t frames = script.index_after(steps, Topology()).next_id().value;
    EXPECT_GE(map.next_id().value, frames);
    EXPECT_LE(map.next_id().value, frames + 1);
    for (std::uint32_t id = 0; id < frames; ++id) {
      if (map.index()->contains(FrameId{id})) {
        EXPECT_EQ(map.info(FrameId{id})->name, "image " + std::to_string(id));
      }
    }
  }

  test::TemporaryFolder folder;
  std::filesystem::path path = folder / "fault.map";
  test::Script script{11, kSteps};
  std::function<void()> arm;
  std::function<void()> on_failure = [] {};
  bool struck = false;
};

TEST_P(FaultTest, InsertAndErase) {
  for_every_write([&] {
    Map map = Map::create(path, test::script_map(kTopology, script));
    arm();
    for (std::size_t i = 0; i < kSteps; ++i) {
      const std::size_t size = map.size();
      on_failure = [&] {
        EXPECT_EQ(map.size(), size);
        expect_after_crash(i);
      };
      insist([&] { script.apply(i, map); });
    }
    map.close();
    FaultyVfs::heal();
    EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
    test::expect_same(*Map::open(path).index(),
                      script.index_after(kSteps, Topology::parse(kTopology)), script.probes());
  });
}

TEST_P(FaultTest, Batches) {
  for_every_write([&] {
    Map map = Map::create(path, test::script_map(kTopology, script),
                          {.durability = Durability::every(5)});
    arm();
    for (std::size_t i = 0; i < kSteps; ++i) insist([&] { script.apply(i, map); });
    insist([&] { map.close(); });
    FaultyVfs::heal();
    test::expect_same(*Map::open(path).index(),
                      script.index_after(kSteps, Topology::parse(kTopology)), script.probes());
  });
}

TEST_P(FaultTest, Create) {
  for_every_write([&] {
    arm();
    insist([&] { Map::open_or_create(path, test::script_map(kTopology)).close(); });
    FaultyVfs::heal();
    EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
  });
}

TEST_P(FaultTest, CompactAndMerge) {
  const std::filesystem::path other = folder / "other.map";
  {
    Map map = Map::create(other, test::script_map("d1"), {.durability = Durability::every(100)});
    for (std::size_t i = 0; i < kSteps; ++i) script.apply(i, map);
  }
  const std::size_t others = Map::open(other).size();
  for_every_write([&] {
    Map map =
        Map::create(path, test::script_map(kTopology), {.durability = Durability::every(100)});
    for (std::size_t i = 0; i < kSteps; ++i) script.apply(i, map);
    map.flush();
    arm();
    const std::size_t size = map.size();
    on_failure = [&] { EXPECT_EQ(map.size(), size); };
    insist([&] { map.compact(); });
    EXPECT_EQ(map.size(), size);
    insist([&] { map.merge(other); });
    EXPECT_EQ(map.size(), size + others);
    const std::shared_ptr<const PooledIndex> right = map.index();
    map.close();
    FaultyVfs::heal();
    EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
    test::expect_same(*Map::open(path).index(), *right, script.probes());
  });
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultTest,
                         testing::Combine(testing::Values(Fault::write_error, Fault::short_write,
                                                          Fault::disk_full, Fault::sync_error),
                                          testing::Bool()));

}  // namespace
}  // namespace looptree
