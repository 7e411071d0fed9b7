// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// What goes in and out of a map: other people's databases, vocabularies, CSV.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "looptree/common/error.hpp"
#include "looptree/store/dbow_database.hpp"
#include "looptree/store/export_csv.hpp"
#include "looptree/store/map.hpp"
#include "looptree/store/map_vocabulary.hpp"

#include "tests/store/scripted_map.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using nlohmann::json;
using test::expect_error;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Histogram to_histogram(const json& bow) {
  std::vector<WordId> words;
  std::vector<double> weights;
  for (const json& entry : bow) {
    words.emplace_back(entry[0].get<std::uint32_t>());
    weights.push_back(entry[1]);
  }
  return {std::move(words), std::move(weights)};
}

class Dbow : public testing::TestWithParam<const char*> {};

TEST_P(Dbow, ADatabaseOfDbow2AnswersAsItDidThere) {
  const std::string name = GetParam();
  const DbowDatabase database = read_dbow_database(test::golden("voc/" + name + ".yml.gz"));
  ASSERT_EQ(database.words, 216u);
  ASSERT_EQ(database.images.size(), 8u);
  const json images = test::golden_json("dbow2_orb.json")["bow"];
  for (std::size_t i = 0; i < 8; ++i) {
    const Histogram expected = to_histogram(images[i]);
    ASSERT_EQ(database.images[i].size(), expected.size());
    for (std::size_t j = 0; j < expected.size(); ++j) {
      EXPECT_EQ(database.images[i].words()[j], expected.words()[j]);
      EXPECT_DOUBLE_EQ(database.images[i].weights()[j], expected.weights()[j]);
    }
  }
  const test::TemporaryFolder folder;
  const Vocabulary vocabulary = Vocabulary::load(test::golden("voc/" + name + ".yml.gz"));
  {
    Map map = Map::create(folder / "m", {embedded_vocabulary(vocabulary), {}});
    EXPECT_EQ(insert_dbow_database(map, database, {.session = SessionId{3}}), FrameId{0});
  }
  const Map map = Map::open(folder / "m", {.access = MapAccess::read});
  EXPECT_EQ(load_vocabulary(map).content_hash(), vocabulary.content_hash());
  EXPECT_EQ(map.info(FrameId{7})->session, SessionId{3});
  const json golden = test::golden_json(name + ".json");
  for (const auto& [query, expected] :
       golden["query_after_reload"]["max_results_5_max_id_-1"].items()) {
    const auto matches = map.query(to_histogram(images[std::stoul(query)]), {.top_k = 5}).matches;
    ASSERT_EQ(matches.size(), expected.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
      EXPECT_EQ(matches[i].frame.value, expected[i][0].get<std::uint32_t>());
      EXPECT_NEAR(matches[i].score, expected[i][1].get<double>(), 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, Dbow, testing::Values("dbow2_db_nodi", "dbow2_db_di1"));

class Files : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(folder / "db.yml") << text;
    return folder / "db.yml";
  }
  test::TemporaryFolder folder;
};

TEST_F(Files, ADatabaseInOtherSpellings) {
  const DbowDatabase database = read_dbow_database(write(
      "%YAML:1.0\n---\nvocabulary:\n   k: 2\ndatabase:\n   nEntries: 3\n   usingDI: 0\n"
      "   invertedIndex:\n      - []\n      -\n         - { imageId:0, weight:3. }\n"
      "         - { imageId: 2,\n             weight: 1.0e+00 }\n      -\n         []\n"
      "      -\n         - { imageId:0, weight:1. }\n   directIndex:\n      -\n         []\n"));
  EXPECT_EQ(database.words, 4u);
  ASSERT_EQ(database.images.size(), 3u);
  EXPECT_EQ(database.images[0], Histogram({WordId{1}, WordId{3}}, {0.75, 0.25}));
  EXPECT_TRUE(database.images[1].empty());
  EXPECT_EQ(database.images[2], Histogram({WordId{1}}, {1}));
  MapOptions options = test::script_map("d1");
  Map map = Map::create(folder / "m", options);
  expect_error(ErrorKind::invalid_argument, "80 words of the map, found 4",
               [&] { insert_dbow_database(map, database); });
  options.vocabulary.words = 4;
  Map fits = Map::create(folder / "n", options);
  insert_dbow_database(fits, database);
  EXPECT_EQ(fits.size(), 2u);
  EXPECT_EQ(fits.next_id(), FrameId{3});
  EXPECT_FALSE(fits.index()->contains(FrameId{1}));
}

TEST_F(Files, WhatIsNoDatabaseIsNamed) {
  const std::string head = "database:\n   nEntries: 2\n   invertedIndex:\n      -\n";
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"vocabulary:\n   k: 2\n", "no inverted index"},
           {"", "no inverted index"},
           {head + "         - { imageId:2, weight:1. }\n", "line 5: expected"},
           {head + "         - { imageId:2, weight:1. }\n", "image 2 of 2"},
           {head + "         - { imageId:x, weight:1. }\n", "no number for imageId"},
           {head + "         - { imageId:1, weight:-1. }\n", "a weight below 0"},
           {head + "         - { imageId:1, weight:nan }\n", "a weight below 0"},
           {head + "         - { imageId:1,\n", "without end"},
           {head + "         nonsense\n", "without end"},
           {head + "         - { imageId:0, weight:1. }\n         - { imageId:0, weight:1. }\n",
            "twice"},
           {"database:\n   nEntries: 4000000000\n   invertedIndex:\n      -\n         []\n",
            "4000000000 images"}}) {
    const std::filesystem::path path = write(text);
    expect_error(ErrorKind::corruption, message, [&] { read_dbow_database(path); });
  }
  expect_error(ErrorKind::not_found, "no file", [&] { read_dbow_database(folder / "absent"); });
  const std::string packed = read_file(test::golden("voc/dbow2_db_nodi.yml.gz"));
  for (std::size_t size = 20; size < packed.size(); size += 501) {
    const auto path = write(packed.substr(0, size));
    EXPECT_THROW(read_dbow_database(path), Error) << size;
  }
}

TEST_F(Files, AVocabularyIsFoundWhereItWasLeftOrMissed) {
  const std::filesystem::path file = folder / "voc.yml.gz";
  std::filesystem::copy_file(test::golden("voc/dbow2_orb.yml.gz"), file);
  const Vocabulary vocabulary = Vocabulary::load(file);
  const Map map = Map::create(folder / "m", {referenced_vocabulary(vocabulary, file), {}});
  EXPECT_EQ(map.embedded_vocabulary(), std::nullopt);
  EXPECT_EQ(load_vocabulary(map).content_hash(), vocabulary.content_hash());
  std::filesystem::remove(file);
  expect_error(ErrorKind::not_found, "voc.yml.gz", [&] { load_vocabulary(map); });
  std::filesystem::copy_file(test::golden("voc/dbow2_orb_TF.yml.gz"), file);
  expect_error(ErrorKind::invalid_argument, "found another at", [&] { load_vocabulary(map); });
  const Map bare = Map::create(folder / "n", test::script_map("d1"));
  expect_error(ErrorKind::not_found, "load the one it was made with",
               [&] { load_vocabulary(bare); });
}

TEST_F(Files, CsvSaysEverything) {
  Map map = Map::create(folder / "m", test::script_map("d1"));
  const SessionId session = map.start_session("a \"b\", c");
  map.insert(Histogram({WordId{1}, WordId{5}}, {0.25, 0.75}),
             {.session = session, .time_s = 0.1, .pose = Pose{.translation = {1, 2, 3}}});
  map.insert(Histogram({WordId{2}}, {1}), {.name = "x,y", .number = 0xFFFFFFFFFFFFFFFF});
  map.insert(Histogram({WordId{2}}, {1}));
  map.erase(FrameId{2});
  map.add_closure({FrameId{1}, FrameId{0}, 0.125, 9});
  map.add_closure({FrameId{1}, FrameId{0}, 0.5, 7, ClosurePose{.metric = true}});
  export_csv(map, folder / "csv");
  EXPECT_EQ(read_file(folder / "csv/sessions.csv"), "session,name\n0,\"a \"\"b\"\", c\"\n");
  EXPECT_EQ(read_file(folder / "csv/frames.csv"),
            "frame,session,time_s,name,x,y,z,r00,r01,r02,r10,r11,r12,r20,r21,r22,number\n"
            "0,0,0.1,,1,2,3,1,0,0,0,1,0,0,0,1,\n"
            "1,0,,\"x,y\",,,,,,,,,,,,,18446744073709551615\n");
  EXPECT_EQ(read_file(folder / "csv/words.csv"), "frame,word,weight\n0,1,0.25\n0,5,0.75\n1,2,1\n");
  EXPECT_EQ(read_file(folder / "csv/closures.csv"),
            "query,match,score,inliers,x,y,z,r00,r01,r02,r10,r11,r12,r20,r21,r22,metric\n"
            "1,0,0.125,9,,,,,,,,,,,,,\n"
            "1,0,0.5,7,0,0,0,1,0,0,0,1,0,0,0,1,1\n");
  std::ofstream(folder / "file") << "x";
  expect_error(ErrorKind::io, "expected to make the folder",
               [&] { export_csv(map, folder / "file" / "csv"); });
}

}  // namespace
}  // namespace looptree
