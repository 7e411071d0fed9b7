// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/map.hpp"

#include <chrono>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/store/scripted_map.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::expect_same;
using test::kScriptWords;
using test::Script;
using test::script_map;
using test::TemporaryFolder;

Histogram word(std::uint32_t value) {
  return {{WordId{value}}, {1.0}};
}

class MapOfTopology : public testing::TestWithParam<const char*> {
 protected:
  TemporaryFolder folder;
  std::filesystem::path path = folder / "test.map";
};

TEST_P(MapOfTopology, OpensToTheIndexThatWasInMemory) {
  const Script script(1, 200);
  {
    Map map = Map::create(path, script_map(GetParam()), {.durability = Durability::every(40)});
    for (std::size_t i = 0; i < 200; ++i) script.apply(i, map);
    expect_same(*map.index(), script.index_after(200, Topology::parse(GetParam())),
                script.probes());
  }
  for (const MapAccess access : {MapAccess::write, MapAccess::read}) {
    const Map map = Map::open(path, {.access = access});
    expect_same(*map.index(), script.index_after(200, Topology::parse(GetParam())),
                script.probes());
    EXPECT_EQ(map.topology(), Topology::parse(GetParam()));
  }
  EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
}

TEST_P(MapOfTopology, GoesOnWhereItEnded) {
  const Script script(2, 120);
  Map::create(path, script_map(GetParam())).close();
  for (std::size_t i = 0; i < 120;) {
    Map map = Map::open(path, {.durability = Durability::every(1 + i % 7)});
    for (const std::size_t end = std::min<std::size_t>(120, i + 17); i < end; ++i) {
      script.apply(i, map);
    }
  }
  expect_same(*Map::open(path).index(), script.index_after(120, Topology::parse(GetParam())),
              script.probes());
}

TEST_P(MapOfTopology, CompactionKeepsIdsAndIsKeptItself) {
  const Script script(3, 240);
  const Topology topology = Topology::parse(GetParam());
  Map map = Map::create(path, script_map(GetParam()), {.durability = Durability::every(40)});
  for (std::size_t i = 0; i < 150; ++i) script.apply(i, map);
  map.compact();
  const PooledIndex right = script.index_after(150, topology);
  EXPECT_EQ(map.next_id(), right.next_id());
  EXPECT_EQ(map.size(), right.size());
  for (const Histogram& probe : script.probes()) {
    if (!topology.is_exact()) break;
    EXPECT_EQ(map.query(probe).matches, right.query(probe).matches);
  }
  for (std::size_t i = 150; i < 240; ++i) script.apply(i, map);
  map.compact();
  map.compact();
  const std::shared_ptr<const PooledIndex> before = map.index();
  map.close();
  const Map again = Map::open(path);
  for (const Histogram& probe : script.probes()) {
    for (const double threshold : {0.0, 0.1}) {
      EXPECT_EQ(again.query(probe, {.threshold = threshold}).matches,
                before->query(probe, {.threshold = threshold}).matches);
    }
  }
  EXPECT_EQ(again.next_id(), before->next_id());
  EXPECT_EQ(summarize_map(path).erased, 0u);
  EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Topologies, MapOfTopology,
                         testing::Values("d1", "d2b4-mean", "d3b3-mean", "d2b4-max", "d3b3-sum"));

class MapTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  std::filesystem::path path = folder / "test.map";
};

TEST_F(MapTest, KeepsWhatIsKnownOfAFrame) {
  Features features;
  features.keypoints = {{1, 2, 3, 4, 5, 6}, {-1, 0.5f}};
  features.width = 640;
  features.height = 480;
  features.descriptors = {DescriptorType::binary, 3, {1, 2, 3, 4, 5, 6}, {}};
  Features real = features;
  real.descriptors = {DescriptorType::real, 1, {}, {0.5f, -2}};
  const FrameInfo info{.session = SessionId{7},
                       .time_s = 1.5e9 + 0.1,
                       .pose = Pose{.translation = {1, -2, 0.1}},
                       .name = "left/0001 \xC3\xA9.png",
                       .number = std::uint64_t{1} << 40};
  {
    Map map = Map::create(path, script_map("d1"));
    map.insert(word(1), info, features);
    map.insert(word(2));
    map.insert(word(3), {}, real);
    EXPECT_EQ(map.info(FrameId{0}), info);
  }
  const Map map = Map::open(path, {.access = MapAccess::read});
  EXPECT_EQ(map.info(FrameId{0}), info);
  EXPECT_EQ(map.info(FrameId{1}), FrameInfo());
  EXPECT_EQ(map.info(FrameId{3}), std::nullopt);
  EXPECT_EQ(map.features(FrameId{0})->keypoints, features.keypoints);
  EXPECT_EQ(map.features(FrameId{0})->descriptors.bytes, features.descriptors.bytes);
  EXPECT_EQ(map.features(FrameId{0})->width, 640);
  EXPECT_TRUE(map.features(FrameId{1})->empty());
  EXPECT_EQ(map.features(FrameId{2})->descriptors.floats, real.descriptors.floats);
  EXPECT_FALSE(map.features(FrameId{3}).has_value());
  EXPECT_EQ(map.sessions(), (std::vector<MapSession>{{SessionId{0}, ""}, {SessionId{7}, ""}}));
}

TEST_F(MapTest, KeepsThumbnailsUntilTheirFrameIsCompactedAway) {
  const std::vector<std::uint8_t> image = {0xFF, 0xD8, 1, 2, 3};
  Map map = Map::create(path, script_map("d1"));
  map.insert(word(1), {.thumbnail = image});
  map.insert(word(2));
  map.insert(word(3), {.thumbnail = {4}});
  EXPECT_EQ(map.thumbnail(FrameId{0}), image);
  EXPECT_EQ(map.info(FrameId{0}), FrameInfo());
  EXPECT_EQ(map.thumbnail(FrameId{1}), std::vector<std::uint8_t>());
  EXPECT_EQ(map.thumbnail(FrameId{3}), std::nullopt);
  map.erase(FrameId{0});
  EXPECT_EQ(map.thumbnail(FrameId{0}), std::nullopt);
  map.compact();
  EXPECT_EQ(map.thumbnail(FrameId{2}), std::vector<std::uint8_t>{4});
  EXPECT_EQ(summarize_map(path).with_thumbnail, 1u);
  map.close();
  const MapStorage storage = measure_storage(path);
  EXPECT_EQ(storage.thumbnails, 1u);
  EXPECT_GT(storage.words, 2u * 8u) << "two frames, a seal each";
  EXPECT_EQ(
      storage.vocabulary + storage.words + storage.features + storage.thumbnails + storage.other,
      summarize_map(path).file_bytes);
  EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
  Map other = Map::create(folder / "other", script_map("d1"));
  other.insert(word(5));
  other.merge(path);
  EXPECT_EQ(other.thumbnail(FrameId{2}), std::vector<std::uint8_t>{4});
}

TEST_F(MapTest, KeepsSoManyFeaturesOfAFrame) {
  Features features;
  features.width = features.height = 100;
  features.descriptors = {DescriptorType::binary, 1, {}, {}};
  for (int i = 0; i < 100; ++i) {
    const auto response = static_cast<float>(i + 1);
    const auto row = static_cast<float>(i / 10);
    const auto column = static_cast<float>(i % 10);
    features.keypoints.push_back({10 * column, 10 * row, 31, 45, response, 2});
    features.descriptors.bytes.push_back(static_cast<std::uint8_t>(i));
    features.inverse_depths.push_back(0.5F);
  }
  {
    Map map = Map::create(path, script_map("d1"), {.stored_features = {20, true}});
    map.insert(word(1), {}, features);
  }
  {
    Map map = Map::open(path, {.stored_features = {0}});
    map.insert(word(1), {}, features);
  }
  const Map map = Map::open(path);
  const Features kept = map.features(FrameId{0}).value();
  const Features chosen = choose_features(features, {20, true});
  EXPECT_EQ(kept.keypoints, chosen.keypoints);
  EXPECT_EQ(kept.descriptors.bytes, chosen.descriptors.bytes);
  EXPECT_EQ(kept.inverse_depths, std::vector<float>(20, 0.5F));
  EXPECT_TRUE(map.features(FrameId{1})->empty());
}

TEST_F(MapTest, KeepsPosesOfClosuresAndRefusesWhatIsNone) {
  Map map = Map::create(path, script_map("d1"));
  map.insert(word(1));
  MapClosure closure{FrameId{0}, FrameId{0}, 0.5, 9, ClosurePose{}};
  map.add_closure(closure);
  closure.pose->match_from_query.translation = {1, 2, -3};
  closure.pose->metric = true;
  closure.pose->information = Information{{4}};
  map.add_closure(closure);
  map.close();
  map = Map::open(path);
  EXPECT_EQ(map.closures()[0].pose, ClosurePose{});
  EXPECT_EQ(map.closures()[1], closure);
  const auto refused = [&](const char* why, auto spoil) {
    MapClosure bad = closure;
    spoil(*bad.pose);
    expect_error(ErrorKind::invalid_argument, why, [&] { map.add_closure(bad); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused("finite pose", [&](ClosurePose& pose) { pose.match_from_query.translation[1] = nan; });
  refused("a rotation", [&](ClosurePose& pose) { pose.match_from_query.rotation[4] = nan; });
  refused("a rotation", [&](ClosurePose& pose) { pose.match_from_query.rotation[4] = 1.1; });
  refused("symmetric", [&](ClosurePose& pose) { (*pose.information)(0, 1) = 1; });
  refused("finite information", [&](ClosurePose& pose) { (*pose.information)(5, 5) = nan; });
  EXPECT_EQ(map.closures().size(), 2u);
}

TEST_F(MapTest, KeepsTheVocabularyAndGivenGroups) {
  MapOptions options = script_map("d1");
  options.vocabulary.file = {1, 2, 3};
  options.vocabulary.path = "voc.yml";
  options.topology = Topology::grouped({{0, 0, 1}}, Pooling::mean);
  Map::create(path, options).close();
  Map map = Map::open(path);
  EXPECT_EQ(map.vocabulary().hash, options.vocabulary.hash);
  EXPECT_EQ(map.vocabulary().path, "voc.yml");
  EXPECT_EQ(map.embedded_vocabulary(), options.vocabulary.file);
  EXPECT_EQ(map.topology(), options.topology);
  for (int i = 0; i < 3; ++i) map.insert(word(1));
  expect_error(ErrorKind::invalid_argument, "the 3 frames that the given groups place",
               [&] { map.insert(word(1)); });
  EXPECT_EQ(map.size(), 3u);
  map.close();
  EXPECT_EQ(Map::open(path).size(), 3u);
}

TEST_F(MapTest, OpenOrCreateTellsMapsApart) {
  Map::open_or_create(path, script_map("d2b4-max")).insert(word(1));
  EXPECT_EQ(Map::open_or_create(path, script_map("d2b4-max")).size(), 1u);
  expect_error(ErrorKind::invalid_argument, "topology d1, found one of d2b4-max",
               [&] { Map::open_or_create(path, script_map("d1")); });
  MapOptions other = script_map("d2b4-max");
  other.vocabulary.hash = 1;
  expect_error(ErrorKind::invalid_argument, "made with the vocabulary given",
               [&] { Map::open_or_create(path, other); });
  expect_error(ErrorKind::invalid_argument, "expected no file, found one",
               [&] { Map::create(path, script_map("d1")); });
  expect_error(ErrorKind::not_found, "found no file", [&] { Map::open(folder / "absent"); });
}

TEST_F(MapTest, RefusesWhatTheIndexRefuses) {
  Map map = Map::create(path, script_map("d1"));
  map.insert(word(1));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorKind::invalid_argument, "at least one word", [&] { map.insert(Histogram()); });
  expect_error(ErrorKind::invalid_argument, "found word 80", [&] { map.insert(word(80)); });
  expect_error(ErrorKind::invalid_argument, "sum to 1",
               [&] { map.insert(Histogram({WordId{1}}, {0.5})); });
  expect_error(ErrorKind::invalid_argument, "finite time",
               [&] { map.insert(word(1), {.time_s = nan}); });
  expect_error(ErrorKind::invalid_argument, "finite pose", [&] {
    map.insert(word(1), {.pose = Pose{.translation = {0, nan, 0}}});
  });
  Features features;
  features.keypoints.resize(2);
  expect_error(ErrorKind::invalid_argument, "one descriptor per keypoint",
               [&] { map.insert(word(1), {}, features); });
  expect_error(ErrorKind::invalid_argument, "frames below 1, found frame 1", [&] {
    map.add_closure({FrameId{0}, FrameId{1}, 0.5, 0});
  });
  expect_error(ErrorKind::invalid_argument, "score from 0 to 1", [&] {
    map.add_closure({FrameId{0}, FrameId{0}, nan, 0});
  });
  const std::vector<NewFrame> batch = {{word(2)}, {Histogram()}};
  expect_error(ErrorKind::invalid_argument, "at least one word", [&] { map.insert(batch); });
  EXPECT_EQ(map.next_id(), FrameId{1});
  map.close();
  map.close();
  EXPECT_EQ(map.query(word(1)).matches.size(), 1u);
  expect_error(ErrorKind::invalid_argument, "closed", [&] { map.insert(word(1)); });
  expect_error(ErrorKind::invalid_argument, "closed", [&] { (void)map.info(FrameId{0}); });
  Map reader = Map::open(path, {.access = MapAccess::read});
  EXPECT_EQ(reader.next_id(), FrameId{1});
  expect_error(ErrorKind::invalid_argument, "opened for reading", [&] { reader.insert(word(1)); });
  expect_error(ErrorKind::invalid_argument, "opened for reading", [&] { reader.compact(); });
  expect_error(ErrorKind::invalid_argument, "changes of at least 1",
               [&] { Map::open(path, {.durability = {.changes = 0}}); });
}

TEST_F(MapTest, AHistogramAtTheEdgeOfTheRulesIsTakenBackOrRefusedAtOnce) {
  // Its sum is allowed, but the sum of its rounded weights, half a step each, may not be.
  std::vector<WordId> words;
  std::vector<double> weights;
  for (std::uint32_t i = 0; i < kScriptWords; ++i) {
    words.emplace_back(i);
    weights.push_back(std::floor(1.001 / kScriptWords * 0x1p31) * 0x1p-31 + 0x1p-32);
  }
  std::size_t taken = 0;
  {
    Map map = Map::create(path, script_map("d1"));
    for (int i = 0; i < 200; ++i) {
      weights[0] += 0x1p-33;
      try {
        map.insert(Histogram(words, weights));
        ++taken;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
      }
    }
  }
  EXPECT_EQ(Map::open(path).size(), taken);
}

TEST_F(MapTest, OneWriterAtATimeAndTheSecondIsToldWhoItIs) {
  Map map = Map::create(path, script_map("d1"));
  expect_error(ErrorKind::io, "found process " + std::to_string(getpid()) + " on ",
               [&] { Map::open(path); });
  Map moved = std::move(map);
  expect_error(ErrorKind::io, "or open the map for reading", [&] { Map::open(path); });
  moved.close();
  EXPECT_EQ(Map::open(path).size(), 0u);
  EXPECT_FALSE(std::filesystem::exists(path.string() + "-lock"));
  EXPECT_FALSE(std::filesystem::exists(path.string() + "-wal"));
}

TEST_F(MapTest, ReadersSeeWhatIsCommitted) {
  Map writer = Map::create(path, script_map("d2b4-mean"), {.durability = Durability::every(10)});
  Map reader = Map::open(path, {.access = MapAccess::read});
  const Script script(5, 300);
  for (std::size_t i = 0; i < 300; ++i) {
    script.apply(i, writer);
    if (i == 200) writer.compact();
    if (i % 37 == 0) {
      writer.flush();
      EXPECT_TRUE(reader.refresh());
      EXPECT_FALSE(reader.refresh());
      expect_same(*reader.index(), *writer.index(), script.probes());
    }
  }
  EXPECT_FALSE(writer.refresh());
}

TEST_F(MapTest, WaitingFramesAreFoundByTheWriterOnly) {
  Map writer = Map::create(path, script_map("d1"), {.durability = Durability::every(3)});
  Map reader = Map::open(path, {.access = MapAccess::read});
  writer.insert(word(1));  // two changes: the session is one
  EXPECT_EQ(writer.query(word(1)).matches.size(), 1u);
  reader.refresh();
  EXPECT_EQ(reader.size(), 0u);
  writer.insert(word(2));
  reader.refresh();
  EXPECT_EQ(reader.size(), 2u);
  EXPECT_EQ(writer.info(FrameId{1})->name, "");
}

TEST_F(MapTest, ACommitByTimeNeedsNoFurtherCall) {
  using std::chrono::milliseconds;
  Map writer =
      Map::create(path, script_map("d1"), {.durability = Durability::every(milliseconds(20))});
  Map reader = Map::open(path, {.access = MapAccess::read});
  writer.insert(word(1));
  for (int i = 0; i < 500 && reader.size() == 0; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    reader.refresh();
  }
  EXPECT_EQ(reader.size(), 1u);
}

TEST_F(MapTest, SessionsAreSearchedAndDropped) {
  Map map = Map::create(path, script_map("d2b4-max"));
  const SessionId monday = map.start_session("monday");
  const SessionId tuesday = map.start_session("tuesday");
  EXPECT_NE(monday, tuesday);
  for (int i = 0; i < 5; ++i) map.insert(word(1), {.session = i % 2 ? tuesday : monday});
  const QueryOptions only = {.filter = {.sessions = std::vector{tuesday}}};
  EXPECT_EQ(map.query(word(1), only).matches.size(), 2u);
  EXPECT_EQ(map.erase_session(monday), 3u);
  EXPECT_EQ(map.erase_session(monday), 0u);
  map.close();
  const Map again = Map::open(path);
  EXPECT_EQ(again.query(word(1)).matches.size(), 2u);
  EXPECT_EQ(again.sessions(), (std::vector<MapSession>{{monday, "monday"}, {tuesday, "tuesday"}}));
  EXPECT_EQ(summarize_map(path).sessions[1].second, 2u);
}

TEST_F(MapTest, ErasesSeveralOrOne) {
  Map map = Map::create(path, script_map("d1"));
  for (int i = 0; i < 6; ++i) map.insert(word(1));
  const std::vector<FrameId> doomed = {FrameId{4}, FrameId{1}, FrameId{4}, FrameId{99}};
  EXPECT_EQ(map.erase(doomed), 2u);
  EXPECT_FALSE(map.erase(FrameId{1}));
  EXPECT_TRUE(map.erase(FrameId{0}));
  EXPECT_EQ(map.info(FrameId{1}), std::nullopt);
  map.close();
  EXPECT_EQ(Map::open(path).size(), 3u);
}

TEST_F(MapTest, ClosuresStayUntilAFrameOfTheirsIsCompactedAway) {
  Map map = Map::create(path, script_map("d1"), {.durability = Durability::every(100)});
  for (int i = 0; i < 4; ++i) map.insert(word(1));
  const MapClosure first{FrameId{3}, FrameId{0}, 0.25, 31};
  const MapClosure second{FrameId{3}, FrameId{1}, 0.125, 0};
  map.add_closure(first);
  map.add_closure(second);
  map.erase(FrameId{1});
  EXPECT_EQ(map.closures(), (std::vector{first, second}));
  map.compact();
  EXPECT_EQ(map.closures(), std::vector{first});
  map.add_closure(second);
  map.close();
  EXPECT_EQ(Map::open(path).closures(), (std::vector{first, second}));
}

TEST_F(MapTest, AnEmptyFileBecomesAMapAndAForeignOneDoesNot) {
  std::ofstream(path).close();
  expect_error(ErrorKind::corruption, "an empty file", [&] { Map::open(path); });
  Map::open_or_create(path, script_map("d1")).insert(word(1));
  EXPECT_EQ(Map::open(path).size(), 1u);
  std::ofstream(folder / "text") << std::string(5000, 'x');
  expect_error(ErrorKind::corruption, "not a database", [&] { Map::open(folder / "text"); });
  expect_error(ErrorKind::corruption, "not a database",
               [&] { Map::create(folder / "text", script_map("d1")); });
  EXPECT_FALSE(verify_map(folder / "text").sound());
}

TEST_F(MapTest, ARebuildReportsAndCanBeStopped) {
  {
    Map map = Map::create(path, script_map("d1"));
    const std::vector<NewFrame> frames(3000, NewFrame{word(1)});
    EXPECT_EQ(map.insert(frames), FrameId{0});
  }
  std::size_t last = 0;
  Map::open(path, {.progress =
                       [&](std::size_t done, std::size_t total) {
                         EXPECT_EQ(total, 3000u);
                         last = done;
                         return true;
                       },
                   .snapshot_every = 0});
  EXPECT_EQ(last, 3000u);
  expect_error(ErrorKind::cancelled, "stopped", [&] {
    Map::open(path,
              {.progress = [](std::size_t, std::size_t) { return false; }, .snapshot_every = 0});
  });
  EXPECT_EQ(Map::open(path).size(), 3000u);
}

TEST_F(MapTest, AReadOnlyFolderCanBeRead) {
  Map::create(path, script_map("d1")).insert(word(1));
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  std::filesystem::permissions(
      path.parent_path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(Map::open(path, {.access = MapAccess::read}).size(), 1u);
  std::filesystem::permissions(path.parent_path(), std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace looptree
