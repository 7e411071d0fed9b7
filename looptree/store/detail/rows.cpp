// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/rows.hpp"

#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/store/feature_blob.hpp"
#include "looptree/store/word_blob.hpp"

namespace looptree::detail {
namespace {

// Seeds of the hashes: a row of one table is never taken for a row of another.
enum Seed : std::uint64_t { kSessionSeed = 1, kFrameSeed, kErasedSeed, kVacantSeed, kClosureSeed };

#define LOOPTREE_POSE_COLUMNS "x, y, z, r00, r01, r02, r10, r11, r12, r20, r21, r22"

constexpr const char* kFrameColumns =
    "id, session, time_s, name, " LOOPTREE_POSE_COLUMNS ", features, checksum, number, thumbnail";
/// Of a file of version 1 or 2 that is only read.
constexpr const char* kOldFrameColumns =
    "id, session, time_s, name, " LOOPTREE_POSE_COLUMNS ", features, checksum, NULL, NULL";
constexpr int kPoseColumn = 4;
constexpr int kFeaturesColumn = 16;
constexpr int kChecksumColumn = 17;
constexpr int kNumberColumn = 18;
constexpr int kThumbnailColumn = 19;
constexpr int kWordsColumn = 20;

constexpr const char* kClosureColumns =
    "id, query, match, score, inliers, " LOOPTREE_POSE_COLUMNS ", metric, information";
constexpr const char* kOldClosureColumns =
    "id, query, match, score, inliers, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
    "NULL, NULL, NULL, NULL";
constexpr int kClosurePoseColumn = 5;
constexpr int kMetricColumn = 17;
constexpr int kInformationColumn = 18;

bool has_version_3(Database& database) {
  return database.value("PRAGMA user_version") >= 3;
}

/// SQLite does not tell 0 from -0.
void hash_real(ByteWriter& writer, double value) {
  writer.f64(value == 0 ? 0.0 : value);
}

std::array<double, 12> pose_columns(const Pose& pose) {
  std::array<double, 12> columns{};
  std::copy(pose.translation.begin(), pose.translation.end(), columns.begin());
  std::copy(pose.rotation.begin(), pose.rotation.end(), columns.begin() + 3);
  return columns;
}

/// The pose in twelve columns from `first` on; nothing where they are NULL.
std::optional<Pose> pose_at(const Statement& statement, int first) {
  if (statement.is_null(first)) return std::nullopt;
  Pose pose;
  for (int i = 0; i < 3; ++i) pose.translation[i] = statement.real(first + i);
  for (int i = 0; i < 9; ++i) pose.rotation[i] = statement.real(first + 3 + i);
  return pose;
}

/// All 64 bits of an integer, which SQLite takes for signed.
std::optional<std::uint64_t> unsigned_at(const Statement& statement, int column) {
  if (statement.is_null(column)) return std::nullopt;
  return static_cast<std::uint64_t>(statement.integer(column));
}

/// The upper triangle of a symmetric matrix, row by row.
Bytes encode_information(const Information& matrix) {
  ByteWriter writer;
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t column = row; column < 6; ++column) writer.f64(matrix(row, column));
  }
  return writer.take();
}

Information decode_information(const Database& database, ByteView blob) {
  try {
    ByteReader reader(blob, "information of a closure");
    Information matrix;
    for (std::size_t row = 0; row < 6; ++row) {
      for (std::size_t column = row; column < 6; ++column) {
        matrix(row, column) = matrix(column, row) = reader.f64();
      }
    }
    reader.expect_end();
    return matrix;
  } catch (const Error& error) {
    database.damaged(error.what());
  }
}

/// Row and columns as kClosureColumns orders them.
ClosureRow closure_at(const Database& database, const Statement& statement) {
  ClosureRow row{
      statement.integer(0),
      {FrameId{statement.id(1)}, FrameId{statement.id(2)}, statement.real(3), statement.id(4)}};
  if (const std::optional<Pose> pose = pose_at(statement, kClosurePoseColumn)) {
    row.closure.pose = {.match_from_query = *pose, .metric = statement.integer(kMetricColumn) != 0};
    if (!statement.is_null(kInformationColumn)) {
      row.closure.pose->information =
          decode_information(database, statement.blob(kInformationColumn));
    }
  }
  return row;
}

/// The columns of a frame but for `checksum`, as kFrameColumns orders them.
FrameRow frame_at(const Statement& statement) {
  FrameRow row;
  row.id = FrameId{statement.id(0)};
  row.info.session = SessionId{statement.id(1)};
  row.info.time_s = statement.optional_real(2);
  row.info.name = statement.text(3);
  row.info.pose = pose_at(statement, kPoseColumn);
  row.features_seal = unsigned_at(statement, kFeaturesColumn);
  row.info.number = unsigned_at(statement, kNumberColumn);
  row.thumbnail_hash = unsigned_at(statement, kThumbnailColumn);
  return row;
}

std::string insertion(const std::string& table, const std::string& columns, int count) {
  std::string sql = "INSERT INTO " + table + " (" + columns + ") VALUES (?";
  for (int i = 1; i < count; ++i) sql += ", ?";
  return sql + ")";
}

void bind_pose(Statement& statement, int first_column, const std::optional<Pose>& pose) {
  if (!pose) return;
  int parameter = first_column + 1;
  for (const double value : pose_columns(*pose)) statement.bind(parameter++, value);
}

void bind_unsigned(Statement& statement, int column, const std::optional<std::uint64_t>& value) {
  if (value) statement.bind(column + 1, static_cast<std::int64_t>(*value));
}

Statement ranged(Database& database, const std::string& columns, const std::string& table,
                 const std::string& key, Range range) {
  Statement statement(database, "SELECT " + columns + " FROM " + table + " WHERE " + key +
                                    " >= ? AND " + key + " < ? ORDER BY " + key);
  statement.bind(1, range.first).bind(2, range.last);
  return statement;
}

}  // namespace

std::uint64_t hash_row(const SessionRow& row) {
  ByteWriter writer;
  writer.u32(row.id.value);
  writer.text(row.name);
  return hash_bytes(writer.view(), kSessionSeed);
}

std::uint64_t hash_frame(const FrameRow& row) {
  ByteWriter writer;
  writer.u32(row.id.value);
  writer.u32(row.info.session.value);
  writer.byte(row.info.time_s ? 1 : 0);
  if (row.info.time_s) hash_real(writer, *row.info.time_s);
  writer.text(row.info.name);
  writer.byte(row.info.pose ? 1 : 0);
  if (row.info.pose) {
    for (const double value : pose_columns(*row.info.pose)) hash_real(writer, value);
  }
  writer.byte(row.features_seal ? 1 : 0);
  writer.u64(row.features_seal.value_or(0));
  writer.u64(seal_of(row.words));
  // What came with version 3 is left out where there is none, so that older rows keep their hash.
  if (row.info.number) {
    writer.byte(1);
    writer.u64(*row.info.number);
  }
  if (row.thumbnail_hash) {
    writer.byte(2);
    writer.u64(*row.thumbnail_hash);
  }
  return hash_bytes(writer.view(), kFrameSeed);
}

std::optional<std::uint64_t> hash_thumbnail(ByteView thumbnail, FrameId frame) {
  if (thumbnail.empty()) return std::nullopt;
  return hash_bytes(thumbnail, frame.value);
}

std::uint64_t hash_row(const ErasedRow& row) {
  ByteWriter writer;
  writer.u64(static_cast<std::uint64_t>(row.seq));
  writer.u32(row.frame.value);
  writer.u32(row.next_frame.value);
  return hash_bytes(writer.view(), kErasedSeed);
}

std::uint64_t hash_row(const VacantRow& row) {
  ByteWriter writer;
  writer.u32(row.first.value);
  writer.u32(row.last.value);
  return hash_bytes(writer.view(), kVacantSeed);
}

std::uint64_t hash_row(const ClosureRow& row) {
  ByteWriter writer;
  writer.u64(static_cast<std::uint64_t>(row.id));
  writer.u32(row.closure.query.value);
  writer.u32(row.closure.match.value);
  hash_real(writer, row.closure.score);
  writer.u32(row.closure.inliers);
  if (const auto& pose = row.closure.pose) {
    for (const double value : pose_columns(pose->match_from_query)) hash_real(writer, value);
    writer.byte(pose->metric ? 1 : 0);
    if (pose->information) writer.raw(encode_information(*pose->information));
  }
  return hash_bytes(writer.view(), kClosureSeed);
}

Digests read_digests(Database& database) {
  Digests digests;
  Statement statement(database, "SELECT rows, sum FROM digests WHERE name = ?");
  for (std::size_t i = 0; i < digests.of.size(); ++i) {
    statement.bind(1, std::string_view(Digests::kTables[i]));
    if (!statement.step()) {
      database.damaged("expected a digest of table " + std::string(Digests::kTables[i]) +
                       ", found none");
    }
    digests.of[i] = {statement.integer(0), static_cast<std::uint64_t>(statement.integer(1))};
    statement.reset();
  }
  return digests;
}

void check_digests(const Database& database, const Digests& found, const Digests& stored) {
  for (std::size_t i = 0; i < found.of.size(); ++i) {
    if (found.of[i] == stored.of[i]) continue;
    database.damaged("table " + std::string(Digests::kTables[i]) + ": expected the " +
                     std::to_string(stored.of[i].rows) + " rows that were written, found " +
                     std::to_string(found.of[i].rows) + " or others; restore the map from a copy");
  }
}

RowWriter::RowWriter(Database& database)
    : session_(database, "INSERT INTO sessions VALUES (?, ?)"),
      frame_(database, insertion("frames", kFrameColumns, kThumbnailColumn + 1)),
      words_(database, "INSERT INTO words VALUES (?, ?)"),
      features_(database, "INSERT INTO features VALUES (?, ?)"),
      thumbnail_(database, "INSERT INTO thumbnails VALUES (?, ?)"),
      erased_(database, "INSERT INTO erased VALUES (?, ?, ?)"),
      vacant_(database, "INSERT INTO vacant VALUES (?, ?)"),
      closure_(database, insertion("closures", kClosureColumns, kInformationColumn + 1)),
      digest_(database, "UPDATE digests SET rows = ?, sum = ? WHERE name = ?") {}

void RowWriter::write(const Row& row, Digests& digests) {
  std::visit(
      [&](const auto& alternative) {
        put(alternative);
        digests.of[row.index()].add(hash_row(alternative));
      },
      row);
}

void RowWriter::write_digests(const Digests& digests) {
  for (std::size_t i = 0; i < digests.of.size(); ++i) {
    digest_.bind(1, digests.of[i].rows)
        .bind(2, static_cast<std::int64_t>(digests.of[i].sum))
        .bind(3, std::string_view(Digests::kTables[i]))
        .run();
  }
}

void RowWriter::put(const SessionRow& row) {
  session_.bind(1, std::int64_t{row.id.value}).bind(2, std::string_view(row.name)).run();
}

void RowWriter::put(const FrameRow& row) {
  frame_.bind(1, std::int64_t{row.id.value})
      .bind(2, std::int64_t{row.info.session.value})
      .bind(3, row.info.time_s)
      .bind(4, std::string_view(row.info.name));
  bind_pose(frame_, kPoseColumn, row.info.pose);
  bind_unsigned(frame_, kFeaturesColumn, row.features_seal);
  bind_unsigned(frame_, kNumberColumn, row.info.number);
  bind_unsigned(frame_, kThumbnailColumn, row.thumbnail_hash);
  frame_.bind(kChecksumColumn + 1, static_cast<std::int64_t>(row.hash)).run();
  words_.bind(1, std::int64_t{row.id.value}).bind(2, ByteView(row.words)).run();
  if (row.features_seal) {
    features_.bind(1, std::int64_t{row.id.value}).bind(2, ByteView(row.features)).run();
  }
  if (row.thumbnail_hash) {
    thumbnail_.bind(1, std::int64_t{row.id.value}).bind(2, ByteView(row.info.thumbnail)).run();
  }
}

void RowWriter::put(const ErasedRow& row) {
  erased_.bind(1, row.seq)
      .bind(2, std::int64_t{row.frame.value})
      .bind(3, std::int64_t{row.next_frame.value})
      .run();
}

void RowWriter::put(const VacantRow& row) {
  vacant_.bind(1, std::int64_t{row.first.value}).bind(2, std::int64_t{row.last.value}).run();
}

void RowWriter::put(const ClosureRow& row) {
  closure_.bind(1, row.id)
      .bind(2, std::int64_t{row.closure.query.value})
      .bind(3, std::int64_t{row.closure.match.value})
      .bind(4, row.closure.score)
      .bind(5, std::int64_t{row.closure.inliers});
  Bytes information;
  if (const auto& pose = row.closure.pose) {
    bind_pose(closure_, kClosurePoseColumn, pose->match_from_query);
    closure_.bind(kMetricColumn + 1, std::int64_t{pose->metric ? 1 : 0});
    if (pose->information) {
      information = encode_information(*pose->information);
      closure_.bind(kInformationColumn + 1, ByteView(information));
    }
  }
  closure_.run();
}

FrameReader::FrameReader(Database& database, Range range)
    : database_(database),
      statement_(
          ranged(database,
                 std::string(has_version_3(database) ? kFrameColumns : kOldFrameColumns) + ", data",
                 "frames LEFT JOIN words ON words.frame = frames.id", "id", range)) {}

std::optional<FrameRow> FrameReader::next() {
  done_ = done_ || !statement_.step();  // a step after the last would start over
  if (done_) return std::nullopt;
  FrameRow row = frame_at(statement_);
  const std::string name = "frame " + std::to_string(row.id.value);
  if (statement_.is_null(kWordsColumn)) {
    database_.damaged(name + ": expected its words, found none");
  }
  const ByteView words = statement_.blob(kWordsColumn);
  row.words.assign(words.begin(), words.end());
  row.hash = hash_frame(row);
  if (statement_.integer(kChecksumColumn) != static_cast<std::int64_t>(row.hash)) {
    database_.damaged(name + ": expected its row as it was written, found a checksum that differs");
  }
  return row;
}

FixedHistogram decode_row(const Database& database, const FrameRow& row,
                          std::span<const double> word_weights) {
  try {
    return decode_words(row.words, row.id, word_weights);
  } catch (const Error& error) {
    database.damaged(error.what());
  }
}

namespace {

/// What is stored of the features of a frame that has some; sealed with what the row says.
Bytes features_blob(Database& database, const FrameRow& row) {
  Statement statement(database, "SELECT data FROM features WHERE frame = ?");
  statement.bind(1, std::int64_t{row.id.value});
  const ByteView blob = statement.step() ? statement.blob(0) : ByteView();
  if (seal_of(blob) != *row.features_seal) {
    database.damaged("features of frame " + std::to_string(row.id.value) +
                     ": expected those that were written, found others or none");
  }
  return {blob.begin(), blob.end()};
}

}  // namespace

Features read_features(Database& database, const FrameRow& row) {
  if (!row.features_seal) return {};
  return decode_features(features_blob(database, row), row.id);
}

Bytes read_features_for(Database& database, const FrameRow& row, FrameId renamed) {
  if (!row.features_seal) return {};
  return reseal(features_blob(database, row), row.id.value, renamed.value,
                "features of frame " + std::to_string(row.id.value));
}

Bytes read_thumbnail(Database& database, const FrameRow& row) {
  if (!row.thumbnail_hash) return {};
  Statement statement(database, "SELECT data FROM thumbnails WHERE frame = ?");
  statement.bind(1, std::int64_t{row.id.value});
  const ByteView image = statement.step() ? statement.blob(0) : ByteView();
  if (hash_thumbnail(image, row.id) != row.thumbnail_hash) {
    database.damaged("thumbnail of frame " + std::to_string(row.id.value) +
                     ": expected the one that was written, found another or none");
  }
  return {image.begin(), image.end()};
}

std::vector<SessionRow> read_sessions(Database& database) {
  std::vector<SessionRow> rows;
  Statement statement(database, "SELECT id, name FROM sessions ORDER BY id");
  while (statement.step()) rows.push_back({SessionId{statement.id(0)}, statement.text(1)});
  return rows;
}

std::vector<ErasedRow> read_erased(Database& database, Range range) {
  std::vector<ErasedRow> rows;
  Statement statement = ranged(database, "seq, frame, next_frame", "erased", "seq", range);
  while (statement.step()) {
    rows.push_back({statement.integer(0), FrameId{statement.id(1)}, FrameId{statement.id(2)}});
  }
  return rows;
}

std::vector<VacantRow> read_vacant(Database& database) {
  std::vector<VacantRow> rows;
  Statement statement(database, "SELECT first, last FROM vacant ORDER BY first");
  while (statement.step()) {
    rows.push_back({FrameId{statement.id(0)}, FrameId{statement.id(1)}});
  }
  return rows;
}

std::vector<ClosureRow> read_closures(Database& database, Range range) {
  std::vector<ClosureRow> rows;
  Statement statement =
      ranged(database, has_version_3(database) ? kClosureColumns : kOldClosureColumns, "closures",
             "id", range);
  while (statement.step()) rows.push_back(closure_at(database, statement));
  return rows;
}

}  // namespace looptree::detail
