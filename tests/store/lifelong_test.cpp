// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/error.hpp"
#include "looptree/store/map.hpp"

#include "tests/store/scripted_map.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect_error;
using test::script_map;

Histogram blend(std::uint32_t word, double share) {
  return {{WordId{word}, WordId{79}}, {share, 1 - share}};
}

class Lifelong : public testing::Test {
 protected:
  test::TemporaryFolder folder;
  std::filesystem::path path = folder / "a.map";
  std::filesystem::path other = folder / "b.map";
};

TEST_F(Lifelong, MergingBringsEverythingThatIsLeft) {
  const test::Script script(41, 100);
  Features features;
  features.keypoints.resize(2);
  features.descriptors = {DescriptorType::binary, 2, {1, 2, 3, 4}, {}};
  {
    // Knows what words weigh, which the map it goes into does not.
    Map b = Map::create(other, script_map("d1", script), {.durability = Durability::every(1000)});
    for (std::size_t i = 0; i < 100; ++i) script.apply(i, b);
    b.compact();
    b.insert(blend(1, 0.5), {.session = SessionId{9}, .name = "last"}, features);
    b.insert(blend(2, 0.5));
    const std::uint32_t next = b.next_id().value;
    b.add_closure({FrameId{next - 1}, FrameId{next - 2}, 0.5, 12});
    b.add_closure({FrameId{next - 1}, FrameId{next - 3}, 0.5, 12});
    b.erase(FrameId{next - 3});
  }
  const Map source = Map::open(other, {.access = MapAccess::read});
  Map a = Map::create(path, script_map("d2b4-mean"), {.durability = Durability::every(3)});
  a.start_session("mine");
  a.insert(blend(3, 0.5));
  const MergeResult result = a.merge(other);
  EXPECT_EQ(result.first, FrameId{1});
  EXPECT_EQ(result.frames, source.size());
  EXPECT_EQ(result.closures, 1u);
  EXPECT_EQ(result.sessions.size(), source.sessions().size());
  EXPECT_EQ(a.size(), 1 + source.size());
  const FrameId last{a.next_id().value - 2};
  EXPECT_EQ(a.info(last)->name, "last");
  EXPECT_EQ(a.info(last)->session, result.sessions.back().second);
  EXPECT_EQ(a.features(last)->descriptors.bytes, features.descriptors.bytes);
  EXPECT_EQ(a.closures()[0].match, last);
  for (const Histogram& probe : script.probes()) {
    const auto matches = a.query(probe, {.slack = 0, .filter = {.first = FrameId{1}}}).matches;
    const auto theirs = source.query(probe).matches;
    ASSERT_EQ(matches.size(), theirs.size());
    for (std::size_t i = 0; i < matches.size(); ++i) EXPECT_EQ(matches[i].score, theirs[i].score);
  }
  const std::shared_ptr<const PooledIndex> before = a.index();
  a.insert(blend(4, 0.5));
  a.close();
  test::expect_same(*Map::open(path).index(), *before, script.probes());
  EXPECT_EQ(verify_map(path).problems, std::vector<std::string>());
}

TEST_F(Lifelong, MergingRefusesAnotherVocabularyOrItself) {
  MapOptions options = script_map("d1");
  options.vocabulary.hash = 1;
  Map::create(other, options).insert(blend(1, 0.5));
  Map a = Map::create(path, script_map("d1"));
  expect_error(ErrorKind::invalid_argument, "same vocabulary", [&] { a.merge(other); });
  expect_error(ErrorKind::invalid_argument, "found the same one", [&] { a.merge(path); });
  expect_error(ErrorKind::not_found, "found no file", [&] { a.merge(folder / "absent"); });
  EXPECT_EQ(a.size(), 0u);
}

TEST_F(Lifelong, AMergeThatIsStoppedNeverHappened) {
  {
    Map b = Map::create(other, script_map("d1"), {.durability = Durability::every(1000)});
    for (int i = 0; i < 600; ++i) b.insert(blend(1, 0.5));
  }
  Map a = Map::create(path, script_map("d1"));
  a.insert(blend(1, 0.25));
  expect_error(ErrorKind::cancelled, "stopped",
               [&] { a.merge(other, [](std::size_t, std::size_t) { return false; }); });
  EXPECT_EQ(a.size(), 1u);
  a.insert(blend(2, 0.25));
  a.close();
  EXPECT_EQ(Map::open(path).size(), 2u);
}

TEST_F(Lifelong, ABoundedMapForgetsTheOldest) {
  std::shared_ptr<const PooledIndex> before;
  {
    Map map = Map::create(path, script_map("d2b4-mean"),
                          {.durability = Durability::every(50), .bound = {.max_frames = 10}});
    for (std::uint32_t i = 0; i < 95; ++i) {
      map.insert(blend(i % 70, 0.5));
      EXPECT_LE(map.size(), 10u);
      EXPECT_LE(map.index()->next_id().value - map.size(), i + 1);
    }
    EXPECT_TRUE(map.index()->contains(FrameId{85}));
    EXPECT_FALSE(map.index()->contains(FrameId{84}));
    before = map.index();
    const std::vector<NewFrame> many(11, NewFrame{blend(1, 0.5)});
    expect_error(ErrorKind::invalid_argument, "at most 10 frames", [&] { map.insert(many); });
  }
  EXPECT_LT(summarize_map(path).erased, 12u);  // it compacts itself
  test::expect_same(*Map::open(path).index(), *before, {blend(30, 0.5), blend(20, 0.5)});
}

TEST_F(Lifelong, ABoundedMapForgetsWhatIsThereTwice) {
  Map map = Map::create(path, script_map("d1"),
                        {.bound = {.max_frames = 4, .eviction = Eviction::redundancy}});
  map.insert(blend(1, 1.0 / 2));
  map.insert(blend(2, 1.0 / 2));  // 0.5 in common with the one before
  map.insert(blend(2, 3.0 / 8));  // 0.875
  map.insert(blend(3, 1.0 / 2));
  map.insert(blend(4, 1.0 / 2));
  EXPECT_FALSE(map.index()->contains(FrameId{2}));
  map.insert(blend(4, 1.0 / 2));
  EXPECT_FALSE(map.index()->contains(FrameId{1}));  // of equals, the oldest
  map.close();
  map = Map::open(path, {.bound = {.max_frames = 4, .eviction = Eviction::redundancy}});
  map.insert(blend(5, 1.0 / 2));
  EXPECT_FALSE(map.index()->contains(FrameId{5}));
  EXPECT_EQ(map.size(), 4u);
  map.close();
  map = Map::open(path, {.bound = {.max_frames = 2}});
  map.insert(blend(5, 1.0 / 2));  // a smaller bound takes effect with the next frame
  EXPECT_EQ(map.size(), 2u);
}

}  // namespace
}  // namespace looptree
