// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "looptree/export.hpp"

namespace looptree {

/// A file seen as memory. Pages are shared between processes and fetched on demand, so
/// opening costs the same whatever the size. The file must not be shortened while it is mapped;
/// looptree's own writers replace files instead of changing them, which is safe.
class LOOPTREE_EXPORT MappedFile {
 public:
  enum class Mode {
    read_only,
    /// Pages that are written to become copies of this process: the file does not change.
    copy_on_write,
  };
  /// Throws Error(not_found) if there is no such file and Error(io) if it cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path, Mode mode = Mode::read_only);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// The whole file; empty for an empty file. Starts on a page boundary.
  std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  /// The same, to write to; of a copy_on_write mapping only.
  std::span<std::byte> writable() noexcept { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace looptree
