// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

#include "looptree/store/detail/replay.hpp"
#include "looptree/store/detail/sqlite.hpp"

namespace looptree::detail {

/// Remembers outside the database, in a file -acked beside it, how much was acknowledged.
///
/// SQLite ends its log where a checksum fails, as a crash would have ended it, so a log that is
/// damaged later, or lost, passes for one that was never longer. While a map is open, and after a
/// crash, this file says how long it was. It is written after the commit, so it never says too
/// much; and it does not wait for the medium, so after a power failure it may say too little. A map
/// that was closed has no log, and no such file.
class Acknowledged {
 public:
  explicit Acknowledged(const std::filesystem::path& map);
  ~Acknowledged();
  Acknowledged(const Acknowledged&) = delete;
  Acknowledged& operator=(const Acknowledged&) = delete;

  /// Everything before the cursor is on the medium. Cost: a write of 56 bytes, some microseconds.
  void note(const Cursor& cursor) noexcept;
  /// The log is in the database.
  void remove() noexcept;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

/// What a map should have at least: its generation, and rows of each table.
struct AtLeast {
  std::int64_t generation = 0;
  std::array<std::int64_t, 5> rows{};
};

/// Nothing if there is no such file, or it is damaged itself. Read it before the database: what is
/// committed in between then does no harm.
std::optional<AtLeast> read_acknowledged(const std::filesystem::path& map);

/// Throws Error(corruption) where the database has less than was acknowledged.
void check_acknowledged(Database& database, const std::optional<AtLeast>& least);

}  // namespace looptree::detail
