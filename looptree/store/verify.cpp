// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/store/detail/acknowledged.hpp"
#include "looptree/store/detail/replay.hpp"
#include "looptree/store/detail/rows.hpp"
#include "looptree/store/detail/schema.hpp"
#include "looptree/store/map.hpp"

namespace looptree {
namespace {

using namespace detail;

constexpr std::size_t kMaxProblems = 100;

void check_exists(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return;
  throw Error(ErrorKind::not_found, path.string() + ": expected a map, found no file");
}

/// The database and its write-ahead log.
std::size_t bytes_on_disk(const std::filesystem::path& path) {
  std::size_t bytes = std::filesystem::file_size(path);
  std::filesystem::path log = path;
  log += "-wal";
  std::error_code absent;
  if (const auto more = std::filesystem::file_size(log, absent); !absent) bytes += more;
  return bytes;
}

/// Looks at a map from every side; one side that fails does not keep it from the next.
class Verifier {
 public:
  Verifier(Database& database, const std::optional<AtLeast>& least,
           const ProgressCallback& progress)
      : database_(database), least_(least), progress_(progress) {}

  VerifyResult run() {
    attempt([&] { check_structure(); });
    attempt([&] {
      check_version(database_);
      check_schema(database_);
      attempt([&] { check_acknowledged(database_, least_); });
      const MapRow row = read_map_row(database_);
      read_vocabulary_file(database_, row);
      const std::vector<double> weights = read_word_weights(database_, row.vocabulary.words);
      check_frames(weights);
      check_references();
      PooledIndex index({row.vocabulary.words, row.topology, weights});
      Cursor cursor;
      replay(database_, index, cursor, {});
      result_.frames = index.size();
    });
    return std::move(result_);
  }

 private:
  template <typename Step>
  bool attempt(Step step) {
    try {
      step();
      return true;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      note(error.what());
      return false;
    }
  }

  void note(std::string problem) {
    for (const std::string& known : result_.problems) {
      if (known == problem) return;
    }
    if (result_.problems.size() < kMaxProblems) result_.problems.push_back(std::move(problem));
  }

  void check_structure() {
    Statement statement(database_, "PRAGMA integrity_check");
    while (statement.step()) {
      if (const std::string found = statement.text(0); found != "ok") {
        note(database_.path().string() + ": expected a sound database, found: " + found);
      }
    }
  }

  void check_frames(std::span<const double> word_weights) {
    const std::int64_t total = database_.value("SELECT count(*) FROM frames");
    const std::int64_t end = database_.value("SELECT coalesce(max(id), -1) + 1 FROM frames");
    const bool has_thumbnails = database_.value("PRAGMA user_version") >= 3;
    for (const char* table : {"words", "features", "thumbnails"}) {
      if (table == std::string_view("thumbnails") && !has_thumbnails) continue;
      const std::string strays = "SELECT count(*) FROM " + std::string(table) +
                                 " WHERE frame NOT IN (SELECT id FROM frames)";
      if (const std::int64_t count = database_.value(strays.c_str()); count > 0) {
        note(database_.path().string() + ": table " + table + ": expected rows of frames only, " +
             "found " + std::to_string(count) + " others");
      }
    }
    std::size_t done = 0;
    for (std::int64_t first = 0; first < end;) {
      // After a row that fails, reading goes on behind it.
      FrameReader reader(database_, {.first = first});
      const bool sound = attempt([&] {
        while (const std::optional<FrameRow> row = reader.next()) {
          first = std::int64_t{row->id.value} + 1;
          attempt([&] { decode_row(database_, *row, word_weights); });
          attempt([&] { read_features(database_, *row); });
          attempt([&] { read_thumbnail(database_, *row); });
          if (++done % 256 == 0) report(progress_, done, static_cast<std::size_t>(total));
        }
      });
      if (sound || result_.problems.size() == kMaxProblems) return;
      ++first;
    }
  }

  void check_references() {
    const std::int64_t next = database_.value(
        "SELECT max((SELECT coalesce(max(id), -1) + 1 FROM frames), "
        "(SELECT coalesce(max(last), 0) FROM vacant))");
    for (const ClosureRow& row : read_closures(database_)) {
      if (row.closure.query.value < next && row.closure.match.value < next) continue;
      note(database_.path().string() + ": closure " + std::to_string(row.id) +
           ": expected frames below " + std::to_string(next) + ", found one beyond");
    }
  }

  Database& database_;
  const std::optional<AtLeast>& least_;
  const ProgressCallback& progress_;
  VerifyResult result_;
};

}  // namespace

VerifyResult verify_map(const std::filesystem::path& path, const ProgressCallback& progress) {
  check_exists(path);
  try {
    const std::optional<AtLeast> least = read_acknowledged(path);
    Database database(path, OpenMode::read);
    const Transaction reading(database, Transaction::Kind::read);
    return Verifier(database, least, progress).run();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return {0, {error.what()}};
  }
}

MapSummary summarize_map(const std::filesystem::path& path) {
  check_exists(path);
  Database database(path, OpenMode::read);
  const Transaction reading(database, Transaction::Kind::read);
  MapSummary summary;
  summary.schema_version = static_cast<std::uint32_t>(check_version(database));
  check_schema(database);
  const MapRow row = read_map_row(database);
  summary.vocabulary = row.vocabulary;
  summary.topology = row.topology.name();
  const auto count = [&](const char* sql) { return static_cast<std::size_t>(database.value(sql)); };
  summary.embedded_bytes = count("SELECT coalesce(sum(length(file)), 0) FROM vocabulary");
  summary.frames = count("SELECT count(*) FROM live_frames");
  summary.erased = count("SELECT count(*) FROM erased");
  summary.next_id =
      static_cast<std::uint32_t>(count("SELECT max((SELECT coalesce(max(id), -1) + 1 FROM frames), "
                                       "(SELECT coalesce(max(last), 0) FROM vacant))"));
  summary.closures = count("SELECT count(*) FROM closures");
  summary.with_pose = count("SELECT count(*) FROM live_frames WHERE x IS NOT NULL");
  summary.with_features = count("SELECT count(*) FROM live_frames WHERE features IS NOT NULL");
  if (summary.schema_version >= 3) {
    summary.with_thumbnail = count("SELECT count(*) FROM live_frames WHERE thumbnail IS NOT NULL");
  }
  Statement per_session(database, "SELECT count(*) FROM live_frames WHERE session = ?");
  for (SessionRow& session : read_sessions(database)) {
    per_session.bind(1, std::int64_t{session.id.value});
    const std::size_t frames =
        per_session.step() ? static_cast<std::size_t>(per_session.integer(0)) : 0;
    per_session.reset();
    summary.sessions.push_back({{session.id, std::move(session.name)}, frames});
  }
  summary.file_bytes = bytes_on_disk(path);
  return summary;
}

MapStorage measure_storage(const std::filesystem::path& path) {
  check_exists(path);
  Database database(path, OpenMode::read);
  const Transaction reading(database, Transaction::Kind::read);
  const std::int64_t version = check_version(database);
  check_schema(database);
  const auto bytes = [&](const char* sql) { return static_cast<std::size_t>(database.value(sql)); };
  MapStorage storage;
  storage.vocabulary = bytes("SELECT coalesce(sum(length(file)), 0) FROM vocabulary");
  if (version >= 2) {
    storage.vocabulary += bytes("SELECT coalesce(sum(length(data)), 0) FROM word_weights");
  }
  storage.words = bytes("SELECT coalesce(sum(length(data)), 0) FROM words");
  storage.features = bytes("SELECT coalesce(sum(length(data)), 0) FROM features");
  if (version >= 3) {
    storage.thumbnails = bytes("SELECT coalesce(sum(length(data)), 0) FROM thumbnails");
  }
  const std::size_t known =
      storage.vocabulary + storage.words + storage.features + storage.thumbnails;
  storage.other = std::max(bytes_on_disk(path), known) - known;
  return storage;
}

}  // namespace looptree
