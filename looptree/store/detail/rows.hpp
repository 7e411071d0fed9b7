// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/store/detail/sqlite.hpp"
#include "looptree/store/map_types.hpp"

namespace looptree::detail {

/// The rows of a map's tables, and how they are written, read and checked.
///
/// Each of these tables has a digest: how many rows it has and the sum of their hashes. It is
/// brought up to date in the transaction that changes the table. SQLite finds damage to the
/// structure of its file but not to what is stored in it; against the digests a changed, a lost and
/// a repeated row are all found.

struct SessionRow {
  SessionId id;
  std::string name;
};

struct FrameRow {
  FrameId id;
  FrameInfo info;
  FixedHistogram histogram = {};  ///< what is inserted; not filled by readers
  Bytes words = {};               ///< encode_words() of that
  Bytes features = {};            ///< encode_features(), or empty; not filled by readers
  /// The hash at the end of the features; none without them.
  std::optional<std::uint64_t> features_seal = std::nullopt;
  /// hash_thumbnail() of info.thumbnail, which readers do not fill; none without it.
  std::optional<std::uint64_t> thumbnail_hash = std::nullopt;
  std::uint64_t hash = 0;  ///< hash_frame(), once all else is filled in
};

struct ErasedRow {
  std::int64_t seq = 0;  ///< 1, 2, ... in order of erasure, since the last compaction
  FrameId frame;
  FrameId next_frame;  ///< the id the next frame was to get when this one was erased
};

/// Ids [first, last) that were erased before the last compaction.
struct VacantRow {
  FrameId first;
  FrameId last;
};

struct ClosureRow {
  std::int64_t id = 0;  ///< 1, 2, ... in order
  MapClosure closure;
};

using Row = std::variant<SessionRow, FrameRow, ErasedRow, VacantRow, ClosureRow>;

/// What a row adds to the digest of its table, and for a frame its column `checksum`.
std::uint64_t hash_row(const SessionRow& row);
inline std::uint64_t hash_row(const FrameRow& row) {
  return row.hash;
}
/// Computes what FrameRow::hash is to hold.
std::uint64_t hash_frame(const FrameRow& row);
/// What FrameRow::thumbnail_hash is to hold; the image itself is kept as it is, for any program to
/// show.
std::optional<std::uint64_t> hash_thumbnail(ByteView thumbnail, FrameId frame);
std::uint64_t hash_row(const ErasedRow& row);
std::uint64_t hash_row(const VacantRow& row);
std::uint64_t hash_row(const ClosureRow& row);

struct Digest {
  std::int64_t rows = 0;
  std::uint64_t sum = 0;
  void add(std::uint64_t hash) {
    ++rows;
    sum += hash;
  }
  friend bool operator==(const Digest&, const Digest&) = default;
};

/// One per alternative of Row, in that order.
struct Digests {
  static constexpr std::array<const char*, 5> kTables = {"sessions", "frames", "erased", "vacant",
                                                         "closures"};
  std::array<Digest, 5> of;

  Digest& sessions() { return of[0]; }
  Digest& frames() { return of[1]; }
  Digest& erased() { return of[2]; }
  Digest& vacant() { return of[3]; }
  Digest& closures() { return of[4]; }
  friend bool operator==(const Digests&, const Digests&) = default;
};

Digests read_digests(Database& database);
/// Throws Error(corruption) and names the table where what was read is not what was written.
void check_digests(const Database& database, const Digests& found, const Digests& stored);

/// Writes rows, inside a transaction of the caller's.
class RowWriter {
 public:
  explicit RowWriter(Database& database);
  /// Writes a row and adds it to the digests.
  void write(const Row& row, Digests& digests);
  void write_digests(const Digests& digests);

 private:
  void put(const SessionRow& row);
  void put(const FrameRow& row);
  void put(const ErasedRow& row);
  void put(const VacantRow& row);
  void put(const ClosureRow& row);

  Statement session_;
  Statement frame_;
  Statement words_;
  Statement features_;
  Statement thumbnail_;
  Statement erased_;
  Statement vacant_;
  Statement closure_;
  Statement digest_;
};

/// Where reading a table starts and ends; rows come in order of their key.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();  ///< exclusive
};

/// Frames with their words, one after another. next() throws Error(corruption) and names the frame
/// whose row is not as it was written; the words themselves are for decode_words() to check.
class FrameReader {
 public:
  explicit FrameReader(Database& database, Range range = {});
  std::optional<FrameRow> next();

 private:
  Database& database_;
  Statement statement_;
  bool done_ = false;
};

/// The words of a frame that was read, by the map's word weights. Throws Error(corruption) if they
/// are not as written.
FixedHistogram decode_row(const Database& database, const FrameRow& row,
                          std::span<const double> word_weights);

/// The features of a frame that was read; empty if it came without. Throws Error(corruption) if
/// they are not as they were written.
Features read_features(Database& database, const FrameRow& row);
/// The same as they are stored, under the id that the frame is to have.
Bytes read_features_for(Database& database, const FrameRow& row, FrameId renamed);

/// The same of its thumbnail.
Bytes read_thumbnail(Database& database, const FrameRow& row);

std::vector<SessionRow> read_sessions(Database& database);
std::vector<ErasedRow> read_erased(Database& database, Range range = {});
std::vector<VacantRow> read_vacant(Database& database);
std::vector<ClosureRow> read_closures(Database& database, Range range = {});

}  // namespace looptree::detail
