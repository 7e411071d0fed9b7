// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// A map written by every version stays readable. golden/map/v1.map was written by version 0.1.0,
// by this file: LOOPTREE_WRITE_GOLDEN=PATH map_golden_test writes one, for a new version only.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/store/detail/schema.hpp"
#include "looptree/store/map.hpp"

#include "tests/store/scripted_map.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

constexpr std::size_t kSteps = 60;
const char* const kTopology = "d3b3-mean";

Features golden_features() {
  Features features;
  features.keypoints = {{1.5f, 2.5f, 31, 90, 0.25f, 1}, {3, 4, 31, -1, 0.5f, 0}};
  features.descriptors = {DescriptorType::binary, 4, {1, 2, 3, 4, 5, 6, 7, 8}, {}};
  features.width = 640;
  features.height = 480;
  return features;
}

/// Since version 2.
std::vector<double> golden_weights() {
  std::vector<double> weights;
  for (std::uint32_t word = 0; word < test::kScriptWords; ++word) weights.push_back(1 + word % 7);
  return weights;
}

/// Since version 3: features without details but with depths, a number, a thumbnail.
Features golden_stored_features() {
  Features features;
  features.keypoints.resize(2);
  features.keypoints[0].x = 639.5F;
  features.keypoints[1].y = 17.25F;
  features.descriptors = {DescriptorType::binary, 4, {8, 7, 6, 5, 4, 3, 2, 1}, {}};
  features.width = 640;
  features.height = 480;
  features.inverse_depths = {0.125F, 0};
  return features;
}

FrameInfo golden_info(SessionId session) {
  return {.session = session,
          .time_s = 12.5,
          .name = "numbered",
          .number = 0xFFFFFFFF00000001,
          .thumbnail = {0xFF, 0xD8, 0xFF, 0xD9}};
}

/// Since version 4: words by how often they occur, features on levels of a pyramid.
Histogram golden_counts() {
  const std::vector<WordId> words = {WordId{3}, WordId{3}, WordId{20}, WordId{79}};
  return make_histogram(words, golden_weights());
}

Features golden_level_features() {
  Features features = golden_stored_features();
  features.keypoints[0].x = 400 * 1.2F;
  features.keypoints[0].y = 100 * 1.2F;
  features.keypoints[1].y = 17;
  return features;
}

MapClosure golden_closure(FrameId last) {
  MapClosure closure{last, FrameId{0}, 0.25, 30, ClosurePose{.metric = true}};
  closure.pose->match_from_query = {{0, -1, 0, 1, 0, 0, 0, 0, 1}, {0.5, 0, -2}};
  closure.pose->information.emplace();
  for (std::size_t i = 0; i < 6; ++i) (*closure.pose->information)(i, i) = 1.5 + double(i);
  (*closure.pose->information)(0, 1) = (*closure.pose->information)(1, 0) = 0.25;
  return closure;
}

/// Everything a map can hold. What is expected below follows from it; do not change it.
void write_golden(const std::filesystem::path& path) {
  const test::Script script(77, kSteps);
  MapOptions options = test::script_map(kTopology);
  options.vocabulary.file = {0xDE, 0xAD, 0xBE, 0xEF};
  options.vocabulary.word_weights = golden_weights();
  Map map = Map::create(
      path, options, {.durability = Durability::every(1000), .stored_features = {.details = true}});
  for (std::size_t i = 0; i < kSteps; ++i) {
    script.apply(i, map);
    if (i == 20) map.compact();
  }
  const SessionId session = map.start_session("with features");
  map.insert(script.probes()[0], {.session = session, .name = "last"}, golden_features());
  map.add_closure({FrameId{map.next_id().value - 1}, FrameId{0}, 0.375, 42});
  map.close();
  Map again = Map::open(path);
  const FrameId last =
      again.insert(script.probes()[1], golden_info(session), golden_stored_features());
  again.add_closure(golden_closure(last));
  again.insert(golden_counts(), {.session = session, .name = "counted"}, golden_level_features());
  again.close();
}

/// Takes the frame that is there since version 3.
void expect_version_3(const Map& map, FrameId last) {
  FrameInfo info = golden_info(map.info(last)->session);
  EXPECT_EQ(map.thumbnail(last), info.thumbnail);
  EXPECT_EQ(map.thumbnail(FrameId{1}), std::vector<std::uint8_t>());
  info.thumbnail.clear();
  EXPECT_EQ(map.info(last), info);
  EXPECT_EQ(map.features(last)->keypoints, golden_stored_features().keypoints);
  EXPECT_EQ(map.features(last)->descriptors.bytes, golden_stored_features().descriptors.bytes);
  EXPECT_EQ(map.features(last)->inverse_depths, golden_stored_features().inverse_depths);
}

void expect_golden(const std::filesystem::path& path, int version) {
  EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
  const Map map = Map::open(path);
  const test::Script script(77, kSteps);
  EXPECT_EQ(map.vocabulary().hash, 0xFEDCBA9876543210u);
  EXPECT_EQ(map.embedded_vocabulary(), (std::vector<std::uint8_t>{0xDE, 0xAD, 0xBE, 0xEF}));
  EXPECT_EQ(map.topology(), Topology::parse(kTopology));
  EXPECT_EQ(map.sessions().back().name, "with features");
  const FrameId last{map.next_id().value - static_cast<std::uint32_t>(std::max(1, version - 1))};
  EXPECT_EQ(map.features(last)->keypoints, golden_features().keypoints);
  EXPECT_EQ(map.features(last)->descriptors.bytes, golden_features().descriptors.bytes);
  std::vector<MapClosure> closures = {{last, FrameId{0}, 0.375, 42}};
  PooledIndex right = script.index_after(kSteps, map.topology());
  right.insert(script.probes()[0], {.session = map.sessions().back().id});
  if (version >= 3) {
    const FrameId added = right.insert(script.probes()[1], {.session = map.sessions().back().id});
    expect_version_3(map, added);
    closures.push_back(golden_closure(added));
  }
  if (version >= 4) {
    const FrameId added = right.insert(golden_counts(), {.session = map.sessions().back().id});
    EXPECT_EQ(map.features(added)->keypoints, golden_level_features().keypoints);
  }
  EXPECT_EQ(map.closures(), closures);
  ASSERT_EQ(map.next_id(), right.next_id());
  for (std::uint32_t id = 0; id < right.next_id().value; ++id) {
    EXPECT_EQ(map.index()->histogram(FrameId{id}), right.histogram(FrameId{id})) << id;
    EXPECT_EQ(map.index()->session(FrameId{id}), right.session(FrameId{id})) << id;
  }
  const std::size_t first = map.info(FrameId{0}) ? 0 : 1;
  EXPECT_EQ(map.info(FrameId{static_cast<std::uint32_t>(first)})->name,
            "image " + std::to_string(first));
  for (const Histogram& probe : script.probes()) {
    const QueryOptions exact = {.slack = 0};
    EXPECT_EQ(map.query(probe, exact).matches, right.query(probe, exact).matches);
  }
}

class GoldenMap : public testing::TestWithParam<int> {};

TEST_P(GoldenMap, IsReadAndGoesOn) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "golden.map";
  std::filesystem::copy_file(test::golden("map/v" + std::to_string(GetParam()) + ".map"), path);
  EXPECT_EQ(summarize_map(path).schema_version, static_cast<std::uint32_t>(GetParam()));
  EXPECT_EQ(Map::open(path, {.access = MapAccess::read}).vocabulary().word_weights,
            GetParam() == 1 ? std::vector<double>() : golden_weights());
  {
    const Map read = Map::open(path, {.access = MapAccess::read});
    EXPECT_EQ(read.closures().size(), GetParam() < 3 ? 1u : 2u);
    EXPECT_EQ(read.thumbnail(FrameId{1})->size(), 0u);
  }
  expect_golden(path, GetParam());
  Map map = Map::open(path);
  const FrameId added =
      map.insert(Histogram({WordId{1}}, {1}), golden_info(SessionId{0}), golden_stored_features());
  map.add_closure(golden_closure(added));
  expect_version_3(map, added);
  map.compact();
  map.close();
  EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
  EXPECT_EQ(summarize_map(path).schema_version, 4u);
}

INSTANTIATE_TEST_SUITE_P(Versions, GoldenMap, testing::Values(1, 2, 3, 4));

TEST(Golden, WhatIsWrittenTodayIsReadToo) {
  const test::TemporaryFolder folder;
  write_golden(folder / "today.map");
  expect_golden(folder / "today.map", 4);
  // For a new version only: what it writes is kept.
  if (const char* path = std::getenv("LOOPTREE_WRITE_GOLDEN")) write_golden(path);
}

TEST(Migrations, RunInOrderAllOrNone) {
  using detail::Migration;
  const test::TemporaryFolder folder;
  Map::create(folder / "m", test::script_map("d1")).close();
  detail::Database database(folder / "m", detail::OpenMode::write);
  const std::vector<Migration> steps = {{4, {"CREATE TABLE second (a)"}},
                                        {5, {"ALTER TABLE second ADD COLUMN b"}}};
  const std::vector<Migration> broken = {{4, {"CREATE TABLE other (a)"}}, {5, {"no SQL at all"}}};
  EXPECT_THROW(detail::migrate(database, broken), Error);
  EXPECT_EQ(database.value("PRAGMA user_version"), 4);
  EXPECT_EQ(database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'other'"), 0);
  detail::migrate(database, steps);
  EXPECT_EQ(database.value("PRAGMA user_version"), 6);
  detail::migrate(database, steps);  // nothing left to do
  EXPECT_EQ(database.value("SELECT count(b) FROM second"), 0);
}

}  // namespace
}  // namespace looptree
