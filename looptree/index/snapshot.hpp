// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "looptree/export.hpp"
#include "looptree/index/pooled_index.hpp"

namespace looptree {

/// An index as a file that opens in the time it takes to read it: docs/formats/snapshot.md. It is
/// derived data. Whoever writes one can make the index again, and does so where the file is absent,
/// damaged or of another version; nothing is ever lost with it.
///
/// A snapshot is taken in two steps, so that the index goes on meanwhile. Making the object fixes
/// the state, for which frames to be inserted wait: milliseconds, or for vocabularies of a million
/// words 0.1 s. write() then writes it, from any thread, and lets changes in between.
class LOOPTREE_EXPORT IndexSnapshot {
 public:
  explicit IndexSnapshot(std::shared_ptr<const PooledIndex> index);
  ~IndexSnapshot();
  IndexSnapshot(IndexSnapshot&&) noexcept;
  IndexSnapshot& operator=(IndexSnapshot&&) noexcept;

  /// Writes the state to a file that replaces `path` once it is complete. `tag`, of at most 2048
  /// bytes, comes back from snapshot_tag(): what it is a snapshot of.
  ///
  /// False, with nothing written, where the state cannot be had: a frame was erased since it was
  /// fixed, or pooled nodes still hold what erased frames gave them, which only the history of the
  /// index can make again. Frames inserted meanwhile do no harm. Throws Error(io) where the system
  /// refuses, and Error(invalid_argument) for a longer tag.
  bool write(const std::filesystem::path& path, std::span<const std::byte> tag);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The tag of a snapshot, from its first page. Throws Error(not_found), Error(unsupported) for
/// another version, Error(corruption) where the page is not as it was written.
LOOPTREE_EXPORT std::vector<std::byte> snapshot_tag(const std::filesystem::path& path);

/// The index of a snapshot, with the same answers, to the bit, now and after any further change.
/// `options` are those of the index that was written; the topology may differ, since pooled layers
/// are made anew from the frames. Every byte is checked, on `threads` threads (0: all). The file
/// stays mapped, copy on write, for as long as the index uses it; it may be replaced or removed
/// meanwhile, but not changed. Throws as snapshot_tag() does, and Error(invalid_argument) for the
/// snapshot of an index with other words or weights.
LOOPTREE_EXPORT PooledIndex open_snapshot(const std::filesystem::path& path, IndexOptions options,
                                          std::size_t threads = 0);

}  // namespace looptree
