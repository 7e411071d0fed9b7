// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "looptree/store/detail/acknowledged.hpp"
#include "looptree/store/detail/evictor.hpp"
#include "looptree/store/detail/replay.hpp"
#include "looptree/store/detail/rows.hpp"
#include "looptree/store/detail/schema.hpp"
#include "looptree/store/detail/snapshots.hpp"
#include "looptree/store/detail/sqlite.hpp"
#include "looptree/store/detail/ticker.hpp"
#include "looptree/store/detail/writer_lock.hpp"
#include "looptree/store/map.hpp"

namespace looptree {

/// The map, open. A change becomes rows; the rows wait, or are committed; then the index repeats
/// the change. In that order, so that a failed commit leaves nothing to undo in the index.
struct Map::Impl {
  /// For a writer the lock is held already; the schema exists. `least`: read_acknowledged().
  Impl(std::filesystem::path file, const MapOpenOptions& given,
       std::unique_ptr<detail::WriterLock> held, std::unique_ptr<detail::Database> opened,
       const std::optional<detail::AtLeast>& least);
  ~Impl();

  // With `mutex` held:

  /// Throws Error(invalid_argument) once closed.
  void check_open() const;
  /// And for a reader. Makes sure that the index is that of the file.
  void begin_change();
  /// Makes a change: commits the rows together with those that wait, or lets them wait too.
  void change(const std::vector<detail::Row>& rows);
  /// Commits what waits; readers never have anything.
  void flush();
  /// Takes in what is committed but not in the index; rebuilds that where it must.
  void catch_up(const detail::ReplayOptions& replaying);
  /// The index of the whole file, from its snapshot or from nothing.
  detail::Snapshots::Restored rebuild(const detail::ReplayOptions& replaying);
  /// Ends everything that goes on beside, commits, and lets go of the file.
  void close();
  /// The row of a frame, or nothing if it is not stored.
  std::optional<detail::FrameRow> stored_row(FrameId frame);
  /// Appends the rows that erase these frames; the frames are stored.
  void add_erasures(std::vector<detail::Row>& rows, std::span<const FrameId> frames) const;
  /// Appends the row of a session if there is none yet.
  void add_session(std::vector<detail::Row>& rows, SessionId session) const;
  /// Takes the rows of erased frames away.
  void drop_erased();
  /// The same, in a bounded map of which half is erased frames. Housekeeping: it never throws, and
  /// what fails is tried again later.
  void compact_if_due();
  void apply(const detail::Row& row);

  std::shared_ptr<PooledIndex> current_index() const;
  bool is_writer() const { return options.access == MapAccess::write; }

  const std::filesystem::path path;
  const MapOpenOptions options;
  mutable std::mutex mutex;  // guards all below but `index`
  std::unique_ptr<detail::WriterLock> lock;
  std::unique_ptr<detail::Database> database;  // null once closed
  std::unique_ptr<detail::RowWriter> writer;
  detail::MapRow row;
  detail::Cursor committed;          // what is on disk and in the index
  detail::Cursor tip;                // and with what waits; its digests are not kept
  std::vector<detail::Row> waiting;  // for a commit; in the index already
  bool retry = false;                // a commit in the background failed
  std::int64_t data_version = -1;    // readers: SQLite's, when last looked at
  std::set<SessionId> sessions;
  std::unique_ptr<detail::Evictor> evictor;
  detail::Snapshots snapshots;
  detail::Acknowledged acknowledged;
  mutable std::mutex index_mutex;
  std::shared_ptr<PooledIndex> index;      // never null; guarded by index_mutex
  std::unique_ptr<detail::Ticker> ticker;  // last: its thread uses the rest
};

}  // namespace looptree
