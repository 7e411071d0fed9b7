// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "looptree/common/mapped_file.hpp"

namespace looptree::detail {

/// What the first page of a snapshot says; docs/formats/snapshot.md.
struct SnapshotHead {
  std::uint32_t vocabulary_size = 0;
  std::uint64_t weights_hash = 0;  ///< of the word weights
  std::uint64_t directory = 0;     ///< where the list of parts starts; it ends the body
  std::vector<std::byte> tag;
};

inline constexpr std::size_t kSnapshotPage = 4096;  ///< the head; the body follows
inline constexpr std::size_t kMostTag = 2048;

/// Writes a snapshot under a temporary name, piece by piece, with the checksums of the body. What
/// is not finished is removed.
class SnapshotFileWriter {
 public:
  explicit SnapshotFileWriter(std::filesystem::path path);
  ~SnapshotFileWriter();
  SnapshotFileWriter(const SnapshotFileWriter&) = delete;
  SnapshotFileWriter& operator=(const SnapshotFileWriter&) = delete;

  /// Appends bytes, on a boundary, and returns where they start in the file.
  std::uint64_t append(std::span<const std::byte> bytes);
  /// Completes the file and puts it in place.
  void finish(const SnapshotHead& head);

 private:
  void add(std::span<const std::byte> bytes);
  void write_chunk();
  void write(std::span<const std::byte> bytes, std::uint64_t at);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int file_ = -1;
  std::vector<std::byte> chunk_;  // the part of the body that is not written yet
  std::uint64_t written_ = kSnapshotPage;
  std::vector<std::uint64_t> checksums_;
};

/// The head alone. Throws Error(not_found), Error(unsupported), Error(corruption).
SnapshotHead read_snapshot_head(const std::filesystem::path& path);

/// A snapshot in memory, every byte of it checked.
struct SnapshotFile {
  SnapshotHead head;
  std::shared_ptr<MappedFile> file;
  /// From the start of the file to the end of the body, writable.
  std::span<std::byte> bytes() const { return file->writable().first(body_end); }
  std::size_t body_end = 0;
};

SnapshotFile open_snapshot_file(const std::filesystem::path& path, std::size_t threads);

}  // namespace looptree::detail
