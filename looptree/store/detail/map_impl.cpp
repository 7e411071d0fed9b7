// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/map_impl.hpp"

#include <string>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/store/word_blob.hpp"

namespace looptree {

using namespace detail;

namespace {

/// Of an index that cannot be brought up to date, only rebuilt.
constexpr std::int64_t kNoGeneration = -1;

void advance(Cursor& cursor, const Row& row) {
  std::visit([&](const auto& alternative) { cursor.advance(alternative); }, row);
}

}  // namespace

Map::Impl::Impl(std::filesystem::path file, const MapOpenOptions& given,
                std::unique_ptr<WriterLock> held, std::unique_ptr<Database> opened,
                const std::optional<AtLeast>& least)
    : path(std::move(file)),
      options(given),
      lock(std::move(held)),
      database(std::move(opened)),
      row(read_map_row(*database)),
      snapshots(path, options.snapshot_every),
      acknowledged(path) {
  check_acknowledged(*database, least);
  row.vocabulary.word_weights = read_word_weights(*database, row.vocabulary.words);
  if (is_writer()) writer = std::make_unique<RowWriter>(*database);
  committed.generation = kNoGeneration;
  catch_up({options.threads, options.progress});
  if (is_writer() && options.durability.interval.count() > 0) {
    ticker = std::make_unique<Ticker>(options.durability.interval, [this] {
      const std::lock_guard guard(mutex);
      try {
        if (database) flush();
      } catch (const std::exception&) {
        retry = true;  // the next change tries again, and has somebody to tell
      }
    });
  }
}

Map::Impl::~Impl() {
  ticker.reset();
  try {
    close();
  } catch (const std::exception&) {
    // A destructor has nobody to tell; Map::close() has.
  }
}

void Map::Impl::close() {
  if (!database) return;
  flush();
  if (is_writer() && committed.generation == row.generation) {
    snapshots.finish(row, committed, index);
  }
  writer.reset();
  database.reset();
  if (lock) acknowledged.remove();
  lock.reset();
}

void Map::Impl::check_open() const {
  if (database) return;
  throw Error(ErrorKind::invalid_argument,
              path.string() + ": expected an open map, found one that was closed");
}

void Map::Impl::begin_change() {
  check_open();
  if (!is_writer()) {
    throw Error(ErrorKind::invalid_argument,
                path.string() +
                    ": expected a map opened for writing, found one opened for "
                    "reading; open it with MapAccess::write");
  }
  if (committed.generation != row.generation) catch_up({options.threads, {}});
}

void Map::Impl::change(const std::vector<Row>& rows) {
  const std::size_t before = waiting.size();
  waiting.insert(waiting.end(), rows.begin(), rows.end());
  if (retry || waiting.size() >= options.durability.changes) {
    try {
      flush();
    } catch (...) {
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(before), waiting.end());
      throw;
    }
  }
  for (const Row& added : rows) apply(added);
  if (waiting.empty()) snapshots.write_if_due(row, committed, index);
}

void Map::Impl::flush() {
  if (waiting.empty()) return;
  Digests digests = committed.digests;
  Transaction transaction(*database, Transaction::Kind::write);
  for (const Row& added : waiting) writer->write(added, digests);
  writer->write_digests(digests);
  transaction.commit();
  for (const Row& added : waiting) advance(committed, added);
  acknowledged.note(committed);
  waiting.clear();
  retry = false;
}

void Map::Impl::apply(const Row& added) {
  if (const auto* frame = std::get_if<FrameRow>(&added)) {
    index->insert(frame->histogram, {.session = frame->info.session});
    evictor->inserted(frame->id);
  } else if (const auto* erased = std::get_if<ErasedRow>(&added)) {
    index->erase(erased->frame);
    evictor->erased(erased->frame);
  } else if (const auto* session = std::get_if<SessionRow>(&added)) {
    sessions.insert(session->id);
  }
  advance(tip, added);
}

void Map::Impl::catch_up(const ReplayOptions& replaying) {
  const Transaction transaction(*database, Transaction::Kind::read);
  Snapshots::Restored following{index, committed};
  try {
    if (const MapRow now = read_map_row(*database); now.generation != committed.generation) {
      row.generation = now.generation;  // the rest never changes, and callers hold references to it
      following = rebuild(replaying);
    } else {
      replay(*database, *following.index, following.cursor, replaying);
    }
  } catch (...) {
    committed.generation = kNoGeneration;  // half way: the next attempt starts over
    throw;
  }
  committed = following.cursor;
  tip = following.cursor;
  sessions.clear();
  for (const SessionRow& session : read_sessions(*database)) sessions.insert(session.id);
  {
    const std::lock_guard guard(index_mutex);
    index = following.index;
  }
  if (!is_writer()) return;
  evictor = std::make_unique<Evictor>(options.bound, *following.index);
  acknowledged.note(committed);
}

Snapshots::Restored Map::Impl::rebuild(const ReplayOptions& replaying) {
  if (auto restored = snapshots.open(row, read_digests(*database), options.threads)) {
    try {
      replay(*database, *restored->index, restored->cursor, replaying);
      return std::move(*restored);
    } catch (const Error& error) {
      // Either the rows are damaged, which the rebuild will say, or the snapshot is not theirs.
      if (error.kind() != ErrorKind::corruption) throw;
      snapshots.forget();
    }
  }
  Snapshots::Restored fresh{std::make_shared<PooledIndex>(IndexOptions{
                                row.vocabulary.words, row.topology, row.vocabulary.word_weights}),
                            {}};
  fresh.cursor.generation = row.generation;
  replay(*database, *fresh.index, fresh.cursor, replaying);
  return fresh;
}

std::optional<FrameRow> Map::Impl::stored_row(FrameId frame) {
  check_open();
  flush();
  if (!index->contains(frame)) return std::nullopt;
  std::optional<FrameRow> found =
      FrameReader(*database, {frame.value, std::int64_t{frame.value} + 1}).next();
  // A reader's index may be behind a compaction, which is no damage.
  if (!found && is_writer()) {
    database->damaged("expected a row of frame " + std::to_string(frame.value) + ", found none");
  }
  return found;
}

void Map::Impl::add_erasures(std::vector<Row>& rows, std::span<const FrameId> frames) const {
  std::int64_t seq = tip.next_erasure;
  for (const FrameId frame : frames) {
    rows.emplace_back(ErasedRow{seq++, frame, FrameId{tip.next_frame}});
  }
}

void Map::Impl::add_session(std::vector<Row>& rows, SessionId session) const {
  if (sessions.contains(session)) return;
  for (const Row& added : rows) {
    if (const auto* known = std::get_if<SessionRow>(&added); known && known->id == session) return;
  }
  rows.emplace_back(SessionRow{session, ""});
}

std::shared_ptr<PooledIndex> Map::Impl::current_index() const {
  const std::lock_guard guard(index_mutex);
  return index;
}

}  // namespace looptree
