// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "looptree/store/map.hpp"
#include "looptree/store/map_vocabulary.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

#include "tests/run_command.hpp"
#include "tests/store/scripted_map.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using test::expect;

/// Runs `looptree map ARGUMENTS`.
test::Outcome run(const std::string& arguments) {
  return test::run_command(std::string(LOOPTREE_CLI) + " map " + arguments);
}

class MapCommand : public testing::Test {
 protected:
  void SetUp() override {
    const test::Script script(51, 40);
    Map map = Map::create(folder / "a.map", test::script_map("d2b4-mean"),
                          {.durability = Durability::every(100)});
    for (std::size_t i = 0; i < 40; ++i) script.apply(i, map);
    frames = map.size();
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }

  test::TemporaryFolder folder;
  std::size_t frames = 0;
};

TEST_F(MapCommand, InfoSaysWhatIsThere) {
  const test::Outcome outcome = run("info " + path("a.map"));
  expect(outcome, 0, "frames      " + std::to_string(frames) + "\n");
  expect(outcome, 0, "topology    d2b4-mean\n");
  expect(outcome, 0, "vocabulary  fedcba9876543210, 80 words, not embedded\n");
  expect(run("info " + path("absent")), 1, "error: " + path("absent") + ": expected a map");
  expect(run("info"), 2, "error: MAP is required");
  expect(run(""), 2, "error: ");
}

TEST_F(MapCommand, VerifyExitsWith1IfAMapIsDamaged) {
  expect(run("verify " + path("a.map")), 0,
         path("a.map") + ": sound, " + std::to_string(frames) + " frames\n");
  std::fstream file(path("a.map"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(32768 * 5 + 32700);  // the last rows of a page come first in it
  file << "damage";
  file.close();
  expect(run("verify " + path("a.map")), 1, "error: expected sound maps, found 1 of 1 damaged");
}

TEST_F(MapCommand, ErasesCompactsAndMerges) {
  std::filesystem::copy_file(path("a.map"), path("b.map"));
  expect(run("erase " + path("a.map") + " --session 0"), 0, " frames erased\n");
  expect(run("compact " + path("a.map")), 0, " bytes\n");
  expect(run("merge " + path("a.map") + " " + path("b.map")), 0,
         path("b.map") + ": " + std::to_string(frames) + " frames from id ");
  expect(run("verify " + path("a.map") + " " + path("b.map")), 0, "b.map: sound");
  const Map held = Map::open(folder / "a.map");
  expect(run("compact " + path("a.map")), 1, "expected no other writer, found process ");
  expect(run("info " + path("a.map")), 0, "frames ");
}

TEST_F(MapCommand, ExportsNothingInAFormatThatIsNone) {
  expect(run("export " + path("a.map") + " " + path("csv") + " --vocabulary-format dbow4"), 1,
         "found \"dbow4\"");
  EXPECT_FALSE(std::filesystem::exists(folder / "csv"));
}

TEST_F(MapCommand, ExportsAndImports) {
  expect(run("export " + path("a.map") + " " + path("csv")), 0, "frames to ");
  expect(run("export " + path("a.map") + " " + path("csv")), 0, "none was exported");
  EXPECT_TRUE(std::filesystem::exists(folder / "csv/words.csv"));
  const std::string database = test::golden("voc/dbow2_db_di1.yml.gz").string();
  expect(run("import " + path("c.map") + " " + database + " --topology d2b4-max"), 0,
         "8 frames from id 0 on, session 0\n");
  expect(run("import " + path("c.map") + " " + database + " --topology d2b4-max"), 0,
         "8 frames from id 8 on, session 1\n");
  expect(run("import " + path("c.map") + " " + database), 1, "expected a map of topology d1");
  expect(run("info " + path("c.map")), 0, "bytes embedded\n");
  expect(run("export " + path("c.map") + " " + path("c") + " --vocabulary-format orbslam-text"), 0,
         "its vocabulary to ");
  EXPECT_EQ(Vocabulary::load(folder / "c/vocabulary.orbslam-text").size(), 216u);
  expect(run("export " + path("c.map") + " " + path("c") + " --vocabulary-format pdf"), 1,
         "expected a format of vocabularies");
}

/// DBoW3 saves what DBoW2 does, with descriptors spelled otherwise.
TEST_F(MapCommand, ImportsADatabaseOfDbow3) {
  std::ifstream vocabulary(test::golden("voc/dbow3_orb.yml"));
  std::ofstream database(path("dbow3.yml"));
  database << vocabulary.rdbuf() << "database:\n   nEntries: 2\n   usingDI: 0\n   diLevels: 0\n"
           << "   invertedIndex:\n";
  for (int word = 0; word < 216; ++word) {
    database << (word % 2 == 0
                     ? "      -\n         - { imageId:0, weight:9.2592592592592587e-03 }\n"
                     : "      -\n         - { imageId:1, weight:9.2592592592592587e-03 }\n");
  }
  database.close();
  expect(run("import " + path("d.map") + " " + path("dbow3.yml")), 0,
         "2 frames from id 0 on, session 0\n");
  const Map map = Map::open(folder / "d.map", {.access = MapAccess::read});
  EXPECT_EQ(map.index()->histogram(FrameId{1})->words().front(), WordId{1});
  EXPECT_EQ(load_vocabulary(map).size(), 216u);
  std::ofstream(path("cut.yml")) << "%YAML:1.0\n---\nvocabulary:\n";
  expect(run("import " + path("d.map") + " " + path("cut.yml")), 1, "error: ");
}

}  // namespace
}  // namespace looptree
