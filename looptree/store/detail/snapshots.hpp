// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>

#include "looptree/index/pooled_index.hpp"
#include "looptree/store/detail/replay.hpp"
#include "looptree/store/detail/schema.hpp"

namespace looptree::detail {

/// When a map's snapshot is written, and whether one that lies there is the map's. A snapshot knows
/// the cursor it was taken at: how many rows of each table it has taken in, and the digests of
/// those. Whether these are the rows of the file shows once the rows after them are added.
class Snapshots {
 public:
  struct Restored {
    std::shared_ptr<PooledIndex> index;
    Cursor cursor;
  };

  /// `every`: MapOpenOptions::snapshot_every.
  Snapshots(const std::filesystem::path& map, std::size_t every);
  /// Waits for one that is being written.
  ~Snapshots();

  /// The snapshot, unless there is none, it is damaged, or certainly of another state.
  std::optional<Restored> open(const MapRow& row, const Digests& stored, std::size_t threads);
  /// The snapshot turned out to be of another map.
  void forget() { last_ = tried_ = std::nullopt; }

  // Whatever fails below leaves a map that opens more slowly, no more; nobody is told.

  /// Starts writing one in the background if that is due. The index is at the cursor, all of which
  /// is committed; frames may follow meanwhile.
  void write_if_due(const MapRow& row, const Cursor& cursor,
                    const std::shared_ptr<const PooledIndex>& index) noexcept;
  /// Before the map is closed: waits for one under way, and writes the last if it pays.
  void finish(const MapRow& row, const Cursor& cursor,
              const std::shared_ptr<const PooledIndex>& index) noexcept;

 private:
  static std::size_t changes(const std::optional<Cursor>& since, const Cursor& cursor,
                             const PooledIndex& index);
  void collect();

  std::filesystem::path path_;
  std::size_t every_;
  std::optional<Cursor> last_;   // what the file holds
  std::optional<Cursor> tried_;  // what was last written in the background, or attempted
  std::future<bool> under_way_;
};

}  // namespace looptree::detail
