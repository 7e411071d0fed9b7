// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// The snapshot beside a map: used where it is the map's, ignored where it is not.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "looptree/common/random.hpp"
#include "looptree/store/map.hpp"

#include "tests/store/scripted_map.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_same;
using test::Script;
using test::script_map;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::remove(path);  // never into a file that somebody may have mapped
  std::ofstream(path, std::ios::binary) << bytes;
}

class SnapshotMap : public testing::TestWithParam<const char*> {
 protected:
  void apply(Map& map, std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) script.apply(i, map);
  }
  PooledIndex right(std::size_t steps) const {
    return script.index_after(steps, Topology::parse(GetParam()));
  }
  /// How many frames were read from their words when the map was opened.
  std::size_t replayed() const {
    std::size_t frames = 0;
    Map::open(path, {.access = MapAccess::read, .progress = [&](std::size_t done, std::size_t) {
                       frames = done;
                       return true;
                     }});
    return frames;
  }

  test::TemporaryFolder folder;
  std::filesystem::path path = folder / "test.map";
  std::filesystem::path snapshot = folder / "test.map-snapshot";
  Script script{31, 400};
};

const MapOpenOptions kOften = {.durability = Durability::every(7), .snapshot_every = 10};

TEST_P(SnapshotMap, OpensToTheSameIndexWhateverItHolds) {
  Map::create(path, script_map(GetParam())).close();
  Random random(3);
  for (std::size_t at = 0; at < 400;) {
    const std::size_t end = std::min<std::size_t>(400, at + 1 + random.below(60));
    Map map = Map::open(path, kOften);
    apply(map, at, end);
    at = end;
    map.close();
    const Map reader = Map::open(path, {.access = MapAccess::read});
    expect_same(*reader.index(), right(at), script.probes());
  }
  EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
}

TEST_P(SnapshotMap, AnOldOneIsBroughtUpToDate) {
  {
    Map map = Map::create(path, script_map(GetParam()), kOften);
    apply(map, 0, 100);
  }
  const std::string old = std::filesystem::exists(snapshot) ? read_file(snapshot) : "";
  {
    Map map = Map::open(path, kOften);
    apply(map, 100, 300);
  }
  if (!old.empty()) write_file(snapshot, old);
  Map map = Map::open(path, kOften);
  expect_same(*map.index(), right(300), script.probes());
  apply(map, 300, 400);
  expect_same(*map.index(), right(400), script.probes());
}

INSTANTIATE_TEST_SUITE_P(Topologies, SnapshotMap,
                         testing::Values("d1", "d2b4-max", "d2b4-mean", "d3b3-sum"));

class SnapshotOfMap : public SnapshotMap {};
INSTANTIATE_TEST_SUITE_P(Flat, SnapshotOfMap, testing::Values("d1"));

TEST_P(SnapshotOfMap, SavesTheRebuild) {
  {
    Map map = Map::create(path, script_map("d1"), kOften);
    apply(map, 0, 200);
  }
  ASSERT_TRUE(std::filesystem::exists(snapshot));
  EXPECT_EQ(replayed(), 0u);
  {
    Map map = Map::open(path, {.snapshot_every = 0});
    map.insert(script.probes()[0]);
    map.insert(script.probes()[1]);
  }
  EXPECT_EQ(replayed(), 2u);
  std::filesystem::remove(snapshot);
  EXPECT_GT(replayed(), 100u);
}

TEST_P(SnapshotOfMap, IsWrittenInTheBackgroundToo) {
  Map map = Map::create(path, script_map("d1"), {.snapshot_every = 20});
  for (int i = 0; i < 100 && !std::filesystem::exists(snapshot); ++i) {
    map.insert(script.probes()[i % 6]);
  }
  EXPECT_TRUE(std::filesystem::exists(snapshot));
  const std::size_t size = map.size();
  EXPECT_EQ(Map::open(path, {.access = MapAccess::read}).size(), size);
}

TEST_P(SnapshotOfMap, OfAnotherMapIsIgnored) {
  const auto other = folder / "other.map";
  {
    Map map = Map::create(path, script_map("d1"), kOften);
    apply(map, 0, 100);
    // The same number of frames and erasures, other words.
    const Script another(32, 400);
    Map second = Map::create(other, script_map("d1"), kOften);
    for (std::uint32_t i = 0; i < map.next_id().value; ++i) second.insert(another.probes()[i % 6]);
  }
  write_file(snapshot, read_file(other.string() + "-snapshot"));
  expect_same(*Map::open(path).index(), right(100), script.probes());
}

TEST_P(SnapshotOfMap, DamagedIsIgnored) {
  {
    Map map = Map::create(path, script_map("d1"), kOften);
    apply(map, 0, 120);
  }
  const std::string sound = read_file(snapshot);
  const PooledIndex expected = right(120);
  Random random(4);
  for (int trial = 0; trial < 150; ++trial) {
    std::string bytes = sound;
    const std::size_t at = random.below(trial % 3 == 0 ? 4096 : bytes.size());
    if (trial % 5 == 0) {
      bytes.resize(at);
    } else {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
    }
    write_file(snapshot, bytes);
    expect_same(*Map::open(path, {.access = MapAccess::read}).index(), expected, script.probes());
  }
}

TEST_P(SnapshotOfMap, AfterACompactionANewOneIsMade) {
  {
    Map map = Map::create(path, script_map("d1"), kOften);
    apply(map, 0, 150);
    map.compact();
  }
  EXPECT_EQ(replayed(), 0u);
  expect_same(*Map::open(path).index(), right(150), script.probes());
}

TEST_P(SnapshotOfMap, CannotBeWrittenIsNoError) {
  Map map = Map::create(path, script_map("d1"), kOften);
  std::filesystem::create_directory(snapshot);
  apply(map, 0, 100);
  map.close();
  expect_same(*Map::open(path).index(), right(100), script.probes());
}

}  // namespace
}  // namespace looptree
