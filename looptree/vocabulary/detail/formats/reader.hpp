// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "looptree/common/error.hpp"
#include "looptree/common/progress.hpp"

namespace looptree::detail {

/// Bytes from somewhere, front to back.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Fills the front of `into` and says how much of it; less than all only at the end.
  virtual std::size_t read(std::span<char> into) = 0;
  /// How many bytes there are in all, where that is known without reading them.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
};

std::unique_ptr<ByteSource> file_source(const std::filesystem::path& path,
                                        ProgressCallback progress);
std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes);
std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> compressed);

/// Reads a source through a buffer, by lines, by characters or by records. Nothing is kept but the
/// buffer, so a file of any size costs no memory of its own.
class Reader {
 public:
  explicit Reader(std::unique_ptr<ByteSource> source);

  /// Up to `count` bytes ahead, without moving; fewer only at the end.
  std::string_view peek(std::size_t count);
  /// Moves over bytes already peeked at.
  void skip(std::size_t count) { position_ += count; }
  /// The next `count` bytes. Throws Error(corruption) if fewer are left.
  std::string_view take(std::size_t count);
  /// The next line without its end, or nothing at the end. Throws Error(corruption) for a line
  /// longer than any vocabulary has.
  std::optional<std::string_view> line();

  template <typename T>
  T take_value() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  /// Where in the (uncompressed) input the next byte is.
  std::uint64_t offset() const { return dropped_ + position_; }
  /// How many bytes are left, where known.
  std::optional<std::uint64_t> remaining() const;
  /// Throws Error(corruption) unless `bytes` more can follow: asked before trusting a header.
  void expect_remaining(std::uint64_t bytes, std::string_view what) const;

  /// Gives back the source with everything read so far in front again.
  std::unique_ptr<ByteSource> release();

 private:
  bool fill(std::size_t wanted);

  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t position_ = 0;
  std::size_t end_ = 0;
  std::uint64_t dropped_ = 0;
  bool finished_ = false;
};

}  // namespace looptree::detail
