// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/replay.hpp"

#include <algorithm>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"

namespace looptree::detail {
namespace {

/// Frames read, decoded and inserted at a time: enough work for the threads, little memory.
constexpr std::size_t kChunk = 1024;

class Replay {
 public:
  Replay(Database& database, PooledIndex& index, Cursor& cursor, const ReplayOptions& options)
      : database_(database), index_(index), cursor_(cursor), options_(options) {}

  void run() {
    const Digests stored = read_digests(database_);
    load_erasures();
    load_vacancies();
    load_small_tables();
    insert_frames(static_cast<std::size_t>(
        std::max<std::int64_t>(0, stored.of[1].rows - cursor_.digests.frames().rows)));
    fill_vacancies(vacant_.empty() ? 0 : vacant_.back().last.value);
    apply_erasures();
    if (next_erasure_ != erasures_.size()) {
      database_.damaged("table erased: expected erasures among the first " +
                        std::to_string(cursor_.next_frame) + " frames, found one beyond");
    }
    check_digests(database_, cursor_.digests, stored);
  }

 private:
  void load_erasures() {
    erasures_ = read_erased(database_, {.first = cursor_.next_erasure});
    std::uint32_t next_frame = cursor_.next_frame;
    for (const ErasedRow& row : erasures_) {
      if (row.seq != cursor_.next_erasure || row.next_frame.value < next_frame) {
        database_.damaged("table erased: expected row " + std::to_string(cursor_.next_erasure) +
                          " in order, found row " + std::to_string(row.seq));
      }
      next_frame = row.next_frame.value;
      cursor_.advance(row);
    }
  }

  void load_vacancies() {
    // They change with the generation only, so whoever has seen them has seen all.
    if (cursor_.digests.vacant().rows > 0) return;
    vacant_ = read_vacant(database_);
    std::uint32_t end = 0;
    for (const VacantRow& row : vacant_) {
      if (row.first.value < end || row.last <= row.first) {
        database_.damaged("table vacant: expected ranges in order, found one that overlaps");
      }
      end = row.last.value;
      cursor_.advance(row);
    }
  }

  void load_small_tables() {
    cursor_.digests.sessions() = {};
    for (const SessionRow& row : read_sessions(database_)) cursor_.advance(row);
    for (const ClosureRow& row : read_closures(database_, {.first = cursor_.next_closure})) {
      cursor_.advance(row);
    }
  }

  struct Chunk {
    std::vector<FrameRow> rows;
    std::vector<FixedHistogram> histograms;
  };

  /// The next chunk is read and decoded while the index takes in the last.
  void insert_frames(std::size_t total) {
    FrameReader reader(database_, {.first = cursor_.next_frame});
    const auto read_ahead = [&] {
      return std::async(options_.threads == 1 ? std::launch::deferred : std::launch::async,
                        [&] { return read_chunk(reader); });
    };
    std::size_t done = 0;
    for (std::future<Chunk> ahead = read_ahead();;) {
      Chunk chunk = ahead.get();
      if (chunk.rows.empty()) return;
      ahead = read_ahead();
      for (std::size_t i = 0; i < chunk.rows.size(); ++i) {
        insert(chunk.rows[i], std::move(chunk.histograms[i]));
      }
      insert_batch();
      done += chunk.rows.size();
      report(options_.progress, done, std::max(done, total));
    }
  }

  Chunk read_chunk(FrameReader& reader) const {
    Chunk chunk;
    while (chunk.rows.size() < kChunk) {
      std::optional<FrameRow> row = reader.next();
      if (!row) break;
      chunk.rows.push_back(std::move(*row));
    }
    chunk.histograms = decode(chunk.rows);
    return chunk;
  }

  std::vector<FixedHistogram> decode(const std::vector<FrameRow>& rows) const {
    constexpr std::size_t kAtOnce = 64;
    std::vector<FixedHistogram> histograms(rows.size());
    parallel_for((rows.size() + kAtOnce - 1) / kAtOnce, options_.threads, [&](std::size_t block) {
      const std::size_t end = std::min(rows.size(), (block + 1) * kAtOnce);
      for (std::size_t i = block * kAtOnce; i < end; ++i) {
        histograms[i] = decode_row(database_, rows[i], index_.options().word_weights);
      }
    });
    return histograms;
  }

  void insert(const FrameRow& row, FixedHistogram histogram) {
    fill_vacancies(row.id.value);
    apply_erasures();
    if (row.id.value != cursor_.next_frame) {
      database_.damaged("table frames: expected frame " + std::to_string(cursor_.next_frame) +
                        ", found frame " + std::to_string(row.id.value));
    }
    if (row.info.session != batch_session_) insert_batch();
    batch_session_ = row.info.session;
    batch_.push_back(std::move(histogram));
    cursor_.advance(row);
  }

  /// Consecutive frames of a session wait to be inserted together: the index then does the work of
  /// a batch at once.
  void insert_batch() {
    if (batch_.empty()) return;
    insert_into_index(batch_, batch_session_);
    batch_.clear();
  }

  void insert_into_index(std::span<const FixedHistogram> histograms, SessionId session) {
    try {
      index_.insert(histograms, {.session = session, .threads = options_.threads});
    } catch (const Error& error) {
      database_.damaged("frames up to " + std::to_string(cursor_.next_frame) + ": " + error.what());
    }
  }

  /// Makes the ids from here to `end` that are vacant so; stops at one that is not.
  void fill_vacancies(std::uint32_t end) {
    while (next_vacant_ < vacant_.size() && cursor_.next_frame < end &&
           vacant_[next_vacant_].first.value == cursor_.next_frame) {
      insert_batch();
      const std::uint32_t last = vacant_[next_vacant_++].last.value;
      try {
        index_.leave_vacant(last - cursor_.next_frame);
      } catch (const Error& error) {
        database_.damaged("table vacant: " + std::string(error.what()));
      }
      cursor_.next_frame = last;
    }
  }

  void apply_erasures() {
    while (next_erasure_ < erasures_.size() &&
           erasures_[next_erasure_].next_frame.value <= cursor_.next_frame) {
      insert_batch();
      const FrameId frame = erasures_[next_erasure_++].frame;
      if (!index_.erase(frame)) {
        database_.damaged("table erased: expected a frame that is stored, found frame " +
                          std::to_string(frame.value));
      }
    }
  }

  Database& database_;
  PooledIndex& index_;
  Cursor& cursor_;
  const ReplayOptions& options_;
  std::vector<ErasedRow> erasures_;
  std::size_t next_erasure_ = 0;
  std::vector<VacantRow> vacant_;
  std::size_t next_vacant_ = 0;
  std::vector<FixedHistogram> batch_;
  SessionId batch_session_;
};

}  // namespace

void Cursor::advance(const FrameRow& row) {
  digests.frames().add(hash_row(row));
  next_frame = row.id.value + 1;
}

void Cursor::advance(const ErasedRow& row) {
  digests.erased().add(hash_row(row));
  next_erasure = row.seq + 1;
}

void Cursor::advance(const ClosureRow& row) {
  digests.closures().add(hash_row(row));
  next_closure = row.id + 1;
}

void replay(Database& database, PooledIndex& index, Cursor& cursor, const ReplayOptions& options) {
  Replay(database, index, cursor, options).run();
}

}  // namespace looptree::detail
