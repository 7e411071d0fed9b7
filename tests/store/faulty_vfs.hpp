// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace looptree::test {

/// What goes wrong.
enum class Fault {
  none,
  write_error,  ///< a write fails and writes nothing
  short_write,  ///< a write fails half way
  disk_full,    ///< a write stops half way for lack of space
  sync_error,   ///< a write to the medium fails
};

/// A file system of SQLite's, between it and the real one, that fails on request. It never waits
/// for the medium, so tests that commit a lot are fast. One per process, for all connections.
class FaultyVfs {
 public:
  /// Makes it the one that every connection opened from now on uses.
  static void install();

  /// Lets the n-th write (or sync, for sync_error) from now on fail, n >= 1, and if `stays` all
  /// after it.
  static void fail_at(Fault fault, std::size_t n, bool stays);
  static void heal();
  /// Whether the fault has struck.
  static bool struck();
};

}  // namespace looptree::test
