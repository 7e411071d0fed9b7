// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "looptree/common/error.hpp"
#include "looptree/store/detail/map_impl.hpp"
#include "looptree/store/word_blob.hpp"

namespace looptree {
namespace {

using namespace detail;

/// The live rows of another map, on their way into this one under new numbers.
class Merge {
 public:
  /// What one occurrence of each word weighs, as either map was told.
  struct WordWeights {
    std::span<const double> theirs;
    std::span<const double> ours;
  };

  Merge(Database& from, Database& into, RowWriter& writer, const Cursor& cursor,
        const WordWeights& weights)
      : from_(from),
        into_(into),
        writer_(writer),
        cursor_(cursor),
        weights_(weights),
        digests_(cursor.digests) {
    result_.first = FrameId{cursor.next_frame};
    const Digests stored = read_digests(from);
    total_ = static_cast<std::size_t>(std::max<std::int64_t>(0, stored.of[1].rows));
    seen_.vacant() = stored.of[3];  // not needed, so neither read nor checked
    for (const ErasedRow& row : read_erased(from)) {
      seen_.erased().add(hash_row(row));
      erased_.insert(row.frame.value);
    }
  }

  MergeResult run(std::uint64_t room, const ProgressCallback& progress) {
    copy_sessions();
    copy_frames(room, progress);
    copy_closures();
    // What was read is what was once written, or none of it is taken.
    check_digests(from_, seen_, read_digests(from_));
    writer_.write_digests(digests_);
    return result_;
  }

 private:
  void copy_sessions() {
    std::uint32_t next = 0;
    for (const SessionRow& row : read_sessions(into_)) next = row.id.value + 1;
    for (const SessionRow& row : read_sessions(from_)) {
      seen_.sessions().add(hash_row(row));
      const SessionId renamed{next++};
      writer_.write(SessionRow{renamed, row.name}, digests_);
      session_of_[row.id.value] = renamed;
      result_.sessions.emplace_back(row.id, renamed);
    }
  }

  void copy_frames(std::uint64_t room, const ProgressCallback& progress) {
    FrameReader reader(from_);
    std::size_t done = 0;
    while (const std::optional<FrameRow> row = reader.next()) {
      seen_.frames().add(hash_row(*row));
      if (!erased_.contains(row->id.value)) {
        if (result_.frames == room) {
          throw Error(ErrorKind::invalid_argument,
                      "expected at most " + std::to_string(room) +
                          " more frames, all that the map has room for, found one more");
        }
        copy(*row);
      }
      if (++done % 256 == 0) report(progress, done, std::max(done, total_));
    }
  }

  void copy(const FrameRow& row) {
    const FrameId id{result_.first.value + static_cast<std::uint32_t>(result_.frames++)};
    frame_of_[row.id.value] = id;
    const auto session = session_of_.find(row.info.session.value);
    if (session == session_of_.end()) {
      from_.damaged("frame " + std::to_string(row.id.value) + ": expected a session that is in " +
                    "table sessions, found " + std::to_string(row.info.session.value));
    }
    // Checksums know the frame's id, so both blobs are written anew.
    FrameRow renamed{id, row.info};
    renamed.words = encode_words(decode_row(from_, row, weights_.theirs), id, weights_.ours);
    renamed.info.session = session->second;
    if (row.features_seal) {
      renamed.features = read_features_for(from_, row, id);
      renamed.features_seal = seal_of(renamed.features);
    }
    renamed.info.thumbnail = read_thumbnail(from_, row);
    renamed.thumbnail_hash = hash_thumbnail(renamed.info.thumbnail, id);
    renamed.hash = hash_frame(renamed);
    writer_.write(renamed, digests_);
  }

  void copy_closures() {
    std::int64_t next = cursor_.next_closure;
    for (const ClosureRow& row : read_closures(from_)) {
      seen_.closures().add(hash_row(row));
      const auto query = frame_of_.find(row.closure.query.value);
      const auto match = frame_of_.find(row.closure.match.value);
      if (query == frame_of_.end() || match == frame_of_.end()) continue;
      ClosureRow renamed{next++, row.closure};
      renamed.closure.query = query->second;
      renamed.closure.match = match->second;
      writer_.write(renamed, digests_);
      ++result_.closures;
    }
  }

  Database& from_;
  Database& into_;
  RowWriter& writer_;
  const Cursor& cursor_;
  WordWeights weights_;
  Digests digests_;  // of the map written to
  Digests seen_;     // of the map read from
  std::size_t total_ = 0;
  std::unordered_set<std::uint32_t> erased_;
  std::map<std::uint32_t, SessionId> session_of_;
  std::map<std::uint32_t, FrameId> frame_of_;
  MergeResult result_;
};

/// Ids in ascending order as ranges, joined to those there are.
std::vector<VacantRow> join(const std::vector<VacantRow>& ranges, const std::set<FrameId>& ids) {
  std::vector<VacantRow> all = ranges;
  for (const FrameId id : ids) all.push_back({id, FrameId{id.value + 1}});
  std::sort(all.begin(), all.end(),
            [](const VacantRow& a, const VacantRow& b) { return a.first < b.first; });
  std::vector<VacantRow> joined;
  for (const VacantRow& range : all) {
    if (!joined.empty() && joined.back().last == range.first) {
      joined.back().last = range.last;
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

/// Deletes the frames of table `erased` everywhere; returns the digests that result, but for
/// `vacant`, whose rows the caller writes.
Digests delete_erased(Database& database, Digests digests) {
  Statement doomed(database, "SELECT checksum FROM frames WHERE id IN (SELECT frame FROM erased)");
  while (doomed.step()) {
    --digests.frames().rows;
    digests.frames().sum -= static_cast<std::uint64_t>(doomed.integer(0));
  }
  for (const char* sql : {"DELETE FROM words WHERE frame IN (SELECT frame FROM erased)",
                          "DELETE FROM features WHERE frame IN (SELECT frame FROM erased)",
                          "DELETE FROM thumbnails WHERE frame IN (SELECT frame FROM erased)",
                          "DELETE FROM frames WHERE id IN (SELECT frame FROM erased)",
                          "DELETE FROM closures WHERE query IN (SELECT frame FROM erased)",
                          "DELETE FROM closures WHERE match IN (SELECT frame FROM erased)",
                          "DELETE FROM erased", "DELETE FROM vacant"}) {
    database.run(sql);
  }
  digests.closures() = {};
  for (const ClosureRow& row : read_closures(database)) digests.closures().add(hash_row(row));
  digests.erased() = {};
  digests.vacant() = {};
  return digests;
}

}  // namespace

void Map::Impl::drop_erased() {
  flush();
  Transaction transaction(*database, Transaction::Kind::write);
  std::set<FrameId> erased;
  for (const ErasedRow& gone : read_erased(*database)) erased.insert(gone.frame);
  if (erased.empty()) return;
  const std::vector<VacantRow> vacant = join(read_vacant(*database), erased);
  Cursor after = committed;
  after.digests = delete_erased(*database, committed.digests);
  for (const VacantRow& range : vacant) writer->write(range, after.digests);
  writer->write_digests(after.digests);
  MapRow raised = row;
  ++raised.generation;
  write_map_row(*database, raised);
  transaction.commit();
  if (!row.topology.is_exact()) {
    catch_up({options.threads, {}});  // sees the new generation and starts over
    return;
  }
  // An exact search never depended on the rows that went, so the index can stay.
  row.generation = raised.generation;
  after.generation = row.generation;
  after.next_erasure = 1;
  committed = after;
  tip = after;
  acknowledged.note(committed);
}

void Map::Impl::compact_if_due() {
  const std::size_t kept = index->size();
  if (kept < options.bound.max_frames || static_cast<std::size_t>(tip.next_erasure) <= kept) return;
  try {
    drop_erased();
  } catch (const std::exception&) {
    // The frame that was just inserted is safe; that is all its caller asked for.
  }
}

void Map::compact() {
  const std::lock_guard guard(impl_->mutex);
  impl_->begin_change();
  impl_->drop_erased();
  impl_->database->run("VACUUM");
  impl_->database->run("PRAGMA wal_checkpoint(TRUNCATE)");
}

MergeResult Map::merge(const std::filesystem::path& other, const ProgressCallback& progress) {
  const std::lock_guard guard(impl_->mutex);
  impl_->begin_change();
  if (!std::filesystem::exists(other)) {
    throw Error(ErrorKind::not_found, other.string() + ": expected a map, found no file");
  }
  if (std::filesystem::equivalent(other, impl_->path)) {
    throw Error(ErrorKind::invalid_argument,
                other.string() + ": expected another map to merge, found the same one");
  }
  Database from(other, OpenMode::read);
  check_version(from);
  check_schema(from);
  const Transaction reading(from, Transaction::Kind::read);
  const MapVocabulary theirs = read_map_row(from).vocabulary;
  const MapVocabulary& ours = impl_->row.vocabulary;
  if (theirs.hash != ours.hash || theirs.words != ours.words) {
    throw Error(ErrorKind::invalid_argument,
                other.string() + ": expected a map made with the same vocabulary, of " +
                    std::to_string(ours.words) + " words, found another, of " +
                    std::to_string(theirs.words) + " words");
  }
  impl_->flush();
  const Topology& topology = impl_->row.topology;
  const std::uint64_t limit =
      topology.is_grouped() ? topology.groups()[0].size() : std::uint64_t{0xFFFFFFFE};
  const std::vector<double> their_weights = read_word_weights(from, theirs.words);
  MergeResult result;
  {
    Transaction writing(*impl_->database, Transaction::Kind::write);
    result = Merge(from, *impl_->database, *impl_->writer, impl_->committed,
                   {their_weights, ours.word_weights})
                 .run(limit - impl_->committed.next_frame, progress);
    writing.commit();
  }
  impl_->catch_up({impl_->options.threads, {}});
  impl_->snapshots.write_if_due(impl_->row, impl_->committed, impl_->index);
  return result;
}

}  // namespace looptree
