// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "looptree/export.hpp"

namespace looptree {

/// A file seen as memory, read only. Pages are shared between processes and fetched on demand, so
/// opening costs the same whatever the size. The file must not be shortened while it is mapped;
/// looptree's own writers replace files instead of changing them, which is safe.
class LOOPTREE_EXPORT MappedFile {
 public:
  /// Throws Error(not_found) if there is no such file and Error(io) if it cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// The whole file; empty for an empty file. Starts on a page boundary.
  std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace looptree
