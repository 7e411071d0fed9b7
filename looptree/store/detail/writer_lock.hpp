// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace looptree::detail {

/// Held by the one process that writes a map: a file beside it, locked as long as this object
/// lives, with the name of its holder inside. The system lets go of the lock when the process ends,
/// however it ends.
class WriterLock {
 public:
  /// Throws Error(io) that names the holder if there is one.
  explicit WriterLock(const std::filesystem::path& map);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  bool still_in_place() const;

  std::filesystem::path path_;
  int file_ = -1;
};

/// Makes a file that was just created survive a loss of power, as far as its name is concerned.
void sync_folder_of(const std::filesystem::path& file);

}  // namespace looptree::detail
