// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "looptree/common/progress.hpp"
#include "looptree/index/pooled_index.hpp"
#include "looptree/store/detail/rows.hpp"

namespace looptree::detail {

/// How far an index has followed its map: it holds every row before these.
struct Cursor {
  std::int64_t generation = 0;  ///< of the map row; rows were taken away if it differs
  std::uint32_t next_frame = 0;
  std::int64_t next_erasure = 1;
  std::int64_t next_closure = 1;
  Digests digests;  ///< of the rows taken in

  /// Takes in a row that was just written or read.
  void advance(const SessionRow& row) { digests.sessions().add(hash_row(row)); }
  void advance(const FrameRow& row);
  void advance(const ErasedRow& row);
  void advance(const VacantRow& row) { digests.vacant().add(hash_row(row)); }
  void advance(const ClosureRow& row);
};

struct ReplayOptions {
  std::size_t threads = 0;
  ProgressCallback progress = {};
};

/// Repeats on the index, in their order, the inserts and erasures that were committed after
/// `cursor`, and moves the cursor behind them. Inside a transaction of the caller's.
///
/// The order matters, not only the outcome: a pooled node keeps what an erased frame gave it until
/// half of its frames are gone, so with mean pooling the answers depend on when a frame was erased.
/// A vacant id, whose words a compaction dropped, is passed over.
///
/// The index may come from a snapshot, with the cursor it was taken at; this does the rest.
///
/// Throws Error(corruption) where a row is missing, altered or contradicts another. Index and
/// cursor are then of no further use.
void replay(Database& database, PooledIndex& index, Cursor& cursor, const ReplayOptions& options);

}  // namespace looptree::detail
