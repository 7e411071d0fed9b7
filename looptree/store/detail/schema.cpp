// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/schema.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

struct Table {
  const char* name;
  const char* sql;
  std::int64_t since = 1;               ///< the version it came with
  std::int64_t until = kSchemaVersion;  ///< the last version that declares it so
};

constexpr const char* kCreateWordWeights =
    "CREATE TABLE word_weights (id INTEGER PRIMARY KEY, data BLOB NOT NULL)";
constexpr const char* kCreateThumbnails =
    "CREATE TABLE thumbnails (frame INTEGER PRIMARY KEY, data BLOB NOT NULL)";

// What version 3 added to tables of version 1.
#define LOOPTREE_FRAMES_1                                                                \
  "CREATE TABLE frames (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, time_s REAL, " \
  "name TEXT NOT NULL, x REAL, y REAL, z REAL, r00 REAL, r01 REAL, r02 REAL, r10 REAL, " \
  "r11 REAL, r12 REAL, r20 REAL, r21 REAL, r22 REAL, features INTEGER, checksum INTEGER NOT NULL"
#define LOOPTREE_CLOSURES_1                                                 \
  "CREATE TABLE closures (id INTEGER PRIMARY KEY, query INTEGER NOT NULL, " \
  "match INTEGER NOT NULL, score REAL NOT NULL, inliers INTEGER NOT NULL"

// SQLite keeps these texts in the file, letter by letter, and check_schema() compares them: a
// change here is a change of the format and needs a new version and a migration.
constexpr std::array<Table, 15> kTables = {{
    {"map",
     "CREATE TABLE map (id INTEGER PRIMARY KEY, vocabulary_hash TEXT NOT NULL, "
     "vocabulary_words INTEGER NOT NULL, vocabulary_path TEXT NOT NULL, "
     "vocabulary_checksum INTEGER NOT NULL, topology TEXT NOT NULL, groups BLOB NOT NULL, "
     "generation INTEGER NOT NULL, checksum INTEGER NOT NULL)"},
    {"vocabulary", "CREATE TABLE vocabulary (id INTEGER PRIMARY KEY, file BLOB NOT NULL)"},
    {"sessions", "CREATE TABLE sessions (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"},
    {"frames", LOOPTREE_FRAMES_1 ")", 1, 2},
    {"frames", LOOPTREE_FRAMES_1 ", number INTEGER, thumbnail INTEGER)", 3},
    {"words", "CREATE TABLE words (frame INTEGER PRIMARY KEY, data BLOB NOT NULL)"},
    {"features", "CREATE TABLE features (frame INTEGER PRIMARY KEY, data BLOB NOT NULL)"},
    {"erased",
     "CREATE TABLE erased (seq INTEGER PRIMARY KEY, frame INTEGER NOT NULL, "
     "next_frame INTEGER NOT NULL)"},
    {"vacant", "CREATE TABLE vacant (first INTEGER PRIMARY KEY, last INTEGER NOT NULL)"},
    {"closures", LOOPTREE_CLOSURES_1 ")", 1, 2},
    {"closures",
     LOOPTREE_CLOSURES_1
     ", x REAL, y REAL, z REAL, r00 REAL, r01 REAL, r02 REAL, r10 REAL, r11 REAL, r12 REAL, "
     "r20 REAL, r21 REAL, r22 REAL, metric INTEGER, information BLOB)",
     3},
    {"digests",
     "CREATE TABLE digests (id INTEGER PRIMARY KEY, name TEXT NOT NULL, rows INTEGER NOT NULL, "
     "sum INTEGER NOT NULL)"},
    {"live_frames",
     "CREATE VIEW live_frames AS SELECT * FROM frames WHERE id NOT IN (SELECT frame FROM erased)"},
    {"word_weights", kCreateWordWeights, 2},
    {"thumbnails", kCreateThumbnails, 3},
}};

std::string to_hex(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4) {
    *digit = kDigits[value & 15];
  }
  return text;
}

std::uint64_t from_hex(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

Bytes encode_groups(const Topology& topology) {
  ByteWriter writer;
  writer.varint(topology.groups().size());
  for (const Groups& layer : topology.groups()) {
    writer.varint(layer.size());
    for (const std::uint32_t group : layer) writer.varint(group);
  }
  return writer.take();
}

Topology decode_topology(const std::string& name, ByteView groups) {
  ByteReader reader(groups, "groups of the topology");
  std::vector<Groups> layers(reader.count(1));
  for (Groups& layer : layers) {
    layer.resize(reader.count(1));
    for (std::uint32_t& group : layer) group = static_cast<std::uint32_t>(reader.varint());
  }
  reader.expect_end();
  if (layers.empty()) return Topology::parse(name);
  for (const Pooling pooling : {Pooling::mean, Pooling::sum, Pooling::max}) {
    if (name.ends_with(to_string(pooling))) return Topology::grouped(std::move(layers), pooling);
  }
  reader.fail("topology \"" + name + "\"");
}

std::int64_t row_checksum(const MapRow& row, ByteView groups) {
  ByteWriter writer;
  writer.u64(row.vocabulary.hash);
  writer.u32(row.vocabulary.words);
  writer.text(row.vocabulary.path);
  writer.u64(row.vocabulary_checksum);
  writer.text(row.topology.name());
  writer.raw(groups);
  writer.u64(static_cast<std::uint64_t>(row.generation));
  return static_cast<std::int64_t>(hash_bytes(writer.view(), kApplicationId));
}

void write_word_weights(Database& database, std::span<const double> weights) {
  if (weights.empty()) return;
  ByteWriter writer;
  for (const double weight : weights) writer.f64(weight);
  writer.seal(kApplicationId);
  Statement(database, "INSERT INTO word_weights VALUES (1, ?)").bind(1, writer.view()).run();
}

}  // namespace

bool is_blank(Database& database) {
  return database.value("SELECT count(*) FROM sqlite_schema") == 0 &&
         database.value("PRAGMA application_id") == 0;
}

void create_schema(Database& database, const MapOptions& options) {
  // Several frames share a page of this size; with the default's 4096 a third of it would lie idle
  // under words of 6 KB (docs/store.md). Takes effect while the database is blank only.
  database.run("PRAGMA page_size = 32768");
  database.run("PRAGMA journal_mode = WAL");
  Transaction transaction(database, Transaction::Kind::write);
  for (const Table& table : kTables) {
    if (table.until == kSchemaVersion) database.run(table.sql);
  }
  MapRow row;
  row.vocabulary = options.vocabulary;
  row.topology = options.topology;
  if (!options.vocabulary.file.empty()) {
    row.vocabulary_checksum = hash_bytes(options.vocabulary.file, kApplicationId);
    Statement(database, "INSERT INTO vocabulary VALUES (1, ?)")
        .bind(1, ByteView(options.vocabulary.file))
        .run();
  }
  write_map_row(database, row);
  write_word_weights(database, options.vocabulary.word_weights);
  for (const char* name : {"sessions", "frames", "erased", "vacant", "closures"}) {
    Statement(database, "INSERT INTO digests (name, rows, sum) VALUES (?, 0, 0)")
        .bind(1, std::string_view(name))
        .run();
  }
  database.run(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
  database.run(("PRAGMA user_version = " + std::to_string(kSchemaVersion)).c_str());
  transaction.commit();
}

std::int64_t check_version(Database& database) {
  if (const std::int64_t id = database.value("PRAGMA application_id"); id != kApplicationId) {
    database.damaged("expected a looptree map, found another database (application id " +
                     std::to_string(id) + ")");
  }
  const std::int64_t version = database.value("PRAGMA user_version");
  if (version < 1) database.damaged("expected a schema version, found " + std::to_string(version));
  if (version > kSchemaVersion) {
    throw Error(ErrorKind::unsupported,
                database.path().string() + ": expected a map of schema version " +
                    std::to_string(kSchemaVersion) + " or below, found " + std::to_string(version) +
                    "; a newer looptree can open it");
  }
  return version;
}

void migrate(Database& database, std::span<const Migration> steps) {
  if (steps.empty() || database.value("PRAGMA user_version") > steps.back().from) return;
  Transaction transaction(database, Transaction::Kind::write);
  std::int64_t version = database.value("PRAGMA user_version");
  for (const Migration& step : steps) {
    if (step.from != version) continue;
    for (const char* sql : step.sql) database.run(sql);
    ++version;
  }
  database.run(("PRAGMA user_version = " + std::to_string(version)).c_str());
  transaction.commit();
}

std::span<const Migration> migrations() {
  static const std::array<Migration, 3> kSteps = {{
      {1, {kCreateWordWeights}},
      {2,
       {"ALTER TABLE frames ADD COLUMN number INTEGER",
        "ALTER TABLE frames ADD COLUMN thumbnail INTEGER", "ALTER TABLE closures ADD COLUMN x REAL",
        "ALTER TABLE closures ADD COLUMN y REAL", "ALTER TABLE closures ADD COLUMN z REAL",
        "ALTER TABLE closures ADD COLUMN r00 REAL", "ALTER TABLE closures ADD COLUMN r01 REAL",
        "ALTER TABLE closures ADD COLUMN r02 REAL", "ALTER TABLE closures ADD COLUMN r10 REAL",
        "ALTER TABLE closures ADD COLUMN r11 REAL", "ALTER TABLE closures ADD COLUMN r12 REAL",
        "ALTER TABLE closures ADD COLUMN r20 REAL", "ALTER TABLE closures ADD COLUMN r21 REAL",
        "ALTER TABLE closures ADD COLUMN r22 REAL",
        "ALTER TABLE closures ADD COLUMN metric INTEGER",
        "ALTER TABLE closures ADD COLUMN information BLOB", kCreateThumbnails}},
      {3, {}},  // blobs in new forms; those that are there stay as they are
  }};
  return kSteps;
}

void check_schema(Database& database) {
  const std::int64_t version = database.value("PRAGMA user_version");
  Statement lookup(database, "SELECT sql FROM sqlite_schema WHERE name = ?");
  for (const Table& table : kTables) {
    if (version < table.since || version > table.until) continue;
    lookup.bind(1, std::string_view(table.name));
    const bool same = lookup.step() && lookup.text(0) == table.sql;
    lookup.reset();
    if (!same) {
      database.damaged("expected table " + std::string(table.name) +
                       " as docs/formats/map.md declares it, found another or none");
    }
  }
}

MapRow read_map_row(Database& database) {
  Statement statement(
      database,
      "SELECT vocabulary_hash, vocabulary_words, vocabulary_path, vocabulary_checksum, topology, "
      "groups, generation, checksum FROM map WHERE id = 1");
  if (!statement.step()) database.damaged("expected one row in table map, found none");
  MapRow row;
  row.vocabulary.hash = from_hex(statement.text(0));
  row.vocabulary.words = statement.id(1);
  row.vocabulary.path = statement.text(2);
  row.vocabulary_checksum = static_cast<std::uint64_t>(statement.integer(3));
  try {
    row.topology = decode_topology(statement.text(4), statement.blob(5));
  } catch (const Error& error) {
    database.damaged("table map: " + std::string(error.what()));
  }
  row.generation = statement.integer(6);
  if (statement.integer(7) != row_checksum(row, statement.blob(5)) || row.vocabulary.words == 0) {
    database.damaged("expected table map as it was written, found a checksum that differs");
  }
  return row;
}

void write_map_row(Database& database, const MapRow& row) {
  const Bytes groups = encode_groups(row.topology);
  const std::string hash = to_hex(row.vocabulary.hash);
  const std::string topology = row.topology.name();
  Statement(database, "INSERT OR REPLACE INTO map VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(1, std::string_view(hash))
      .bind(2, std::int64_t{row.vocabulary.words})
      .bind(3, std::string_view(row.vocabulary.path))
      .bind(4, static_cast<std::int64_t>(row.vocabulary_checksum))
      .bind(5, std::string_view(topology))
      .bind(6, ByteView(groups))
      .bind(7, row.generation)
      .bind(8, row_checksum(row, groups))
      .run();
}

std::vector<double> read_word_weights(Database& database, std::uint32_t words) {
  if (database.value("PRAGMA user_version") < 2) return {};
  Statement statement(database, "SELECT data FROM word_weights WHERE id = 1");
  if (!statement.step()) return {};
  try {
    ByteReader reader = ByteReader::sealed(statement.blob(0), kApplicationId, "word weights");
    if (reader.left() != std::size_t{words} * sizeof(double)) reader.fail("another number of them");
    std::vector<double> weights;
    for (std::uint32_t word = 0; word < words; ++word) weights.push_back(reader.f64());
    return weights;
  } catch (const Error& error) {
    database.damaged(error.what());
  }
}

std::optional<Bytes> read_vocabulary_file(Database& database, const MapRow& row) {
  if (row.vocabulary_checksum == 0) return std::nullopt;
  Statement statement(database, "SELECT file FROM vocabulary WHERE id = 1");
  const bool found = statement.step();
  const ByteView file = found ? statement.blob(0) : ByteView();
  if (!found || hash_bytes(file, kApplicationId) != row.vocabulary_checksum) {
    database.damaged("expected the embedded vocabulary as it was written, found " +
                     std::string(found ? "a checksum that differs" : "none"));
  }
  return Bytes(file.begin(), file.end());
}

}  // namespace looptree::detail
