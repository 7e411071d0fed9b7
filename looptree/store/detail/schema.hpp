// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "looptree/store/detail/sqlite.hpp"
#include "looptree/store/map_types.hpp"

namespace looptree::detail {

/// The version this build writes; docs/formats/map.md lists what changed in each.
inline constexpr std::int64_t kSchemaVersion = 4;

/// "LTRE", in SQLite's header: what tells a map from any other database.
inline constexpr std::int64_t kApplicationId = 0x4C545245;

/// One step from a version to the next: SQL statements, run in the transaction that raises the
/// version. What ALTER TABLE leaves must be, letter by letter, what create_schema() makes.
struct Migration {
  std::int64_t from;
  std::vector<const char*> sql;
};

/// Whether the database holds nothing at all: new, or its maker was stopped before the first
/// commit.
bool is_blank(Database& database);

/// Makes the tables and the one row of `map` in a blank database.
void create_schema(Database& database, const MapOptions& options);

/// Throws Error(corruption) if this is not a map, Error(unsupported) if a newer version wrote it.
/// Returns the version it has.
std::int64_t check_version(Database& database);

/// Brings an older file to the version of the last step, in one transaction. A file that is there
/// already is not touched.
void migrate(Database& database, std::span<const Migration> steps);
std::span<const Migration> migrations();

/// Throws Error(corruption) unless every table that the file's version has is declared as
/// create_schema() declares it.
void check_schema(Database& database);

/// The row of `map`: what the map is, as opposed to what is in it.
struct MapRow {
  MapVocabulary vocabulary;  ///< without the file
  Topology topology;
  std::uint64_t vocabulary_checksum = 0;  ///< of the embedded file; 0 if there is none
  std::int64_t generation = 0;            ///< raised whenever rows are taken away
};

/// Throws Error(corruption) if the row is missing or fails its checksum.
MapRow read_map_row(Database& database);
/// Replaces the row.
void write_map_row(Database& database, const MapRow& row);

/// What one occurrence of each word weighs; empty if the map was not told. Throws
/// Error(corruption) if that is not as it was written.
std::vector<double> read_word_weights(Database& database, std::uint32_t words);

/// The embedded vocabulary file, if there is one.
std::optional<Bytes> read_vocabulary_file(Database& database, const MapRow& row);

}  // namespace looptree::detail
