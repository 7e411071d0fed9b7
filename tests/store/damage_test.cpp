// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// Flips bits and cuts files short. Opening the map then either throws an Error that says so, or
// the damage lies where nothing is kept and every answer is right. LOOPTREE_DAMAGE_ALL=1 in the
// environment tries every byte instead of a sample; 2/16 the third of sixteen parts of them, so
// that machines with many cores are done sooner.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "looptree/common/error.hpp"
#include "looptree/common/random.hpp"
#include "looptree/store/map.hpp"

#include "tests/store/scripted_map.hpp"
#include "tests/support.hpp"

namespace looptree {
namespace {

using Contents = std::vector<char>;

constexpr std::size_t kSteps = 40;

Contents read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::filesystem::path& path, const Contents& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Everything a map can be asked, as text.
std::string all_of(const Map& map, const std::vector<Histogram>& probes) {
  std::ostringstream text;
  text << std::hexfloat << map.topology().name() << ' ' << map.vocabulary().hash << ' '
       << map.vocabulary().words << ' ' << map.vocabulary().path;
  const auto file = map.embedded_vocabulary();
  if (file) text << std::string(file->begin(), file->end());
  for (std::uint32_t id = 0; id < map.next_id().value; ++id) {
    const auto info = map.info(FrameId{id});
    text << '\n' << id;
    if (!info) continue;
    text << ' ' << info->session.value << ' ' << info->time_s.value_or(-1) << ' ' << info->name;
    if (info->pose) text << ' ' << info->pose->translation[0];
    const Histogram histogram = map.index()->histogram(FrameId{id}).value();
    for (const double weight : histogram.weights()) text << ' ' << weight;
    const Features features = map.features(FrameId{id}).value();
    for (const Keypoint& point : features.keypoints) text << ' ' << point.x << ' ' << point.y;
    for (const float depth : features.inverse_depths) text << ' ' << depth;
    text << ' ' << info->number.value_or(99);
    const std::vector<std::uint8_t> thumbnail = map.thumbnail(FrameId{id}).value();
    for (const int byte : thumbnail) text << ' ' << byte;
  }
  for (const Histogram& probe : probes) {
    text << '\n';
    for (const Match& match : map.query(probe).matches) {
      text << match.frame.value << ' ' << match.score << ' ';
    }
  }
  for (const MapClosure& closure : map.closures()) {
    text << '\n' << closure.query.value << ' ' << closure.match.value << ' ' << closure.score;
    if (!closure.pose) continue;
    for (const double value : closure.pose->match_from_query.rotation) text << ' ' << value;
    for (const double value : closure.pose->match_from_query.translation) text << ' ' << value;
    text << closure.pose->metric;
    if (!closure.pose->information) continue;
    for (const double value : closure.pose->information->values) text << ' ' << value;
  }
  for (const MapSession& session : map.sessions()) {
    text << '\n' << session.id.value << session.name;
  }
  return text.str();
}

class Damage : public testing::Test {
 protected:
  static void SetUpTestSuite() { sqlite3_hard_heap_limit64(64 << 20); }

  /// A map with something of everything. Stops before it is closed, so that its log is full.
  Map make() const {
    MapOptions options = test::script_map("d2b4-mean", script);
    options.vocabulary.file = {1, 2, 3, 4};
    Map map = Map::create(path, options);
    Features features;
    features.keypoints.resize(3);
    features.descriptors = {DescriptorType::binary, 32, std::vector<std::uint8_t>(96, 7), {}};
    features.width = features.height = 8;
    features.inverse_depths = {0.5F, 0, 2};
    const FrameInfo info{.number = 7, .thumbnail = std::vector<std::uint8_t>(40, 9)};
    const ClosurePose pose{.metric = true, .information = Information{{1}}};
    for (std::size_t i = 0; i < kSteps; ++i) {
      script.apply(i, map);
      if (i == kSteps / 2) map.compact();
      if (i % 10 == 9) map.insert(script.probes()[0], info, features);
      if (i % 10 == 9) map.add_closure({FrameId{i / 2 > 5 ? 5u : 1u}, FrameId{0}, 0.5, 3, pose});
    }
    return map;
  }

  /// What the damaged map says, or nothing where it refuses; anything else fails the test.
  std::optional<std::string> ask(const std::filesystem::path& asked) const {
    try {
      const Map map = Map::open(asked, {.access = MapAccess::read});
      return all_of(map, script.probes());
    } catch (const Error& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
      EXPECT_NE(error.kind(), ErrorKind::invalid_argument) << error.what();
      return std::nullopt;
    }
  }

  /// The bytes worth damaging: all, or a part of all, or a sample of those in use and a few of the
  /// others.
  static std::vector<std::size_t> positions(const Contents& bytes) {
    std::vector<std::size_t> result;
    if (const char* wanted = std::getenv("LOOPTREE_DAMAGE_ALL")) {
      std::size_t part = 0;
      std::size_t parts = 1;
      if (std::sscanf(wanted, "%zu/%zu", &part, &parts) != 2) part = 0;
      for (std::size_t i = part; i < bytes.size(); i += std::max<std::size_t>(parts, 1)) {
        result.push_back(i);
      }
      return result;
    }
    Random random(3);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i < 100 || random.below(bytes[i] != 0 ? 6 : 300) == 0) result.push_back(i);
    }
    return result;
  }

  test::TemporaryFolder folder;
  std::filesystem::path path = folder / "sound.map";
  std::filesystem::path damaged = folder / "damaged.map";
  test::Script script{21, kSteps};
};

TEST_F(Damage, AFlippedBitIsFoundOrHarmless) {
  make().close();
  const std::string right = *ask(path);
  const Contents sound = read_file(path);
  Random random(1);
  std::size_t found = 0;
  std::size_t unseen = 0;
  for (const std::size_t position : positions(sound)) {
    Contents bytes = sound;
    bytes[position] = static_cast<char>(bytes[position] ^ (1 << random.below(8)));
    test::remove_map(damaged);
    write_file(damaged, bytes);
    const std::optional<std::string> answer = ask(damaged);
    if (answer) {
      ASSERT_EQ(*answer, right) << "byte " << position;
      ++unseen;
    } else {
      ASSERT_FALSE(verify_map(damaged).sound()) << "byte " << position;
      ++found;
    }
  }
  std::cout << found << " flips found, " << unseen << " harmless\n";
  // Most of a small map is empty, which the sample knows.
  if (std::getenv("LOOPTREE_DAMAGE_ALL") == nullptr) {
    EXPECT_GT(found, unseen / 4);
  }
}

TEST_F(Damage, ATruncatedMapIsFound) {
  make().close();
  const std::string right = *ask(path);
  const Contents sound = read_file(path);
  for (std::size_t size = 0; size < sound.size(); size += size < 200 ? 1 : 331) {
    test::remove_map(damaged);
    write_file(damaged, {sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size)});
    const std::optional<std::string> answer = ask(damaged);
    if (answer) {
      ASSERT_EQ(*answer, right) << "cut at " << size;
    }
  }
}

/// A log that breaks off is what a crash leaves, so without the file that says how far it went a
/// damaged one gives an earlier state of the map, whole and sound, or an error. With the file it
/// gives the last state or an error.
TEST_F(Damage, ADamagedLogGivesAnEarlierStateOrAnError) {
  std::set<std::string> states;
  Contents sound;
  Contents log;
  Contents acknowledged;
  std::string last;
  {
    Map map = Map::create(path, test::script_map("d1"));
    states.insert(all_of(map, script.probes()));
    for (std::size_t i = 0; i < kSteps; ++i) {
      if (!script.steps()[i].erases) {
        map.start_session("");  // so that the change below is one row and one commit
      }
      states.insert(all_of(map, script.probes()));
      script.apply(i, map);
      states.insert(all_of(map, script.probes()));
    }
    sound = read_file(path);
    log = read_file(path.string() + "-wal");
    acknowledged = read_file(path.string() + "-acked");
    last = all_of(map, script.probes());
  }
  ASSERT_GT(log.size(), 100000u);
  Random random(2);
  for (int trial = 0; trial < 600; ++trial) {
    Contents bytes = log;
    const std::size_t position = random.below(trial % 4 == 0 ? 64 : bytes.size());
    if (trial % 2 == 0) {
      bytes.resize(position);
    } else {
      bytes[position] = static_cast<char>(bytes[position] ^ (1 << random.below(8)));
    }
    test::remove_map(damaged);
    write_file(damaged, sound);
    write_file(damaged.string() + "-wal", bytes);
    const std::optional<std::string> answer = ask(damaged);
    if (answer) {
      ASSERT_TRUE(states.contains(*answer)) << "position " << position;
    }
    write_file(damaged.string() + "-acked", acknowledged);
    const std::optional<std::string> certain = ask(damaged);
    ASSERT_TRUE(!certain || *certain == last) << "position " << position;
    ASSERT_EQ(verify_map(damaged).sound(), certain.has_value()) << "position " << position;
  }
}

TEST_F(Damage, AMapThatWasChangedBehindOurBackIsNotBelieved) {
  make().close();
  for (const std::string change :
       {"DELETE FROM frames WHERE id = (SELECT max(id) FROM frames)",
        "DELETE FROM words",
        "UPDATE frames SET name = 'x' WHERE id = 0",
        "UPDATE frames SET features = NULL",
        "UPDATE frames SET number = 8 WHERE number = 7",
        "UPDATE frames SET number = NULL",
        "UPDATE frames SET thumbnail = NULL",
        "DELETE FROM thumbnails",
        "UPDATE thumbnails SET data = (SELECT data || x'00' FROM thumbnails LIMIT 1)",
        "UPDATE closures SET x = 1 WHERE id = 1",
        "UPDATE closures SET r22 = NULL",
        "UPDATE closures SET x = NULL",
        "UPDATE closures SET metric = 0",
        "UPDATE closures SET information = NULL",
        "UPDATE closures SET information = x'00'",
        "DELETE FROM erased",
        "DELETE FROM closures WHERE id = 1",
        "UPDATE closures SET score = 1",
        "UPDATE sessions SET name = 'x'",
        "DELETE FROM vacant",
        "UPDATE map SET topology = 'd2b8-mean'",
        "UPDATE map SET vocabulary_words = 79",
        "DELETE FROM word_weights",
        "UPDATE word_weights SET data = x'00'",
        "UPDATE vocabulary SET file = x'01020305'",
        "DELETE FROM digests",
        "DROP TABLE features",
        "UPDATE features SET data = (SELECT data FROM features LIMIT 1 OFFSET 1)",
        "ALTER TABLE closures ADD COLUMN more",
        "PRAGMA user_version = 0",
        "PRAGMA application_id = 7"}) {
    test::remove_map(damaged);
    std::filesystem::copy_file(path, damaged);
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(damaged.c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, change.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << change << ": " << sqlite3_errmsg(database);
    sqlite3_close(database);
    EXPECT_FALSE(ask(damaged).has_value()) << change;
    EXPECT_FALSE(verify_map(damaged).sound()) << change;
  }
}

TEST_F(Damage, ANewerVersionIsNamed) {
  make().close();
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  sqlite3_exec(database, "PRAGMA user_version = 5", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  test::expect_error(ErrorKind::unsupported, "schema version 4 or below, found 5",
                     [&] { Map::open(path); });
}

}  // namespace
}  // namespace looptree
