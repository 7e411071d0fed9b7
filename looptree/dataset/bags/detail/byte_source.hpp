// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace looptree::detail {

/// A file, or bytes in memory, read at any place. Any number of threads.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// What it is called in messages.
  virtual const std::string& name() const = 0;
  /// Exactly so many bytes. Throws Error(corruption) where there are fewer.
  std::vector<std::uint8_t> read(std::uint64_t position, std::uint64_t bytes) const;

 private:
  virtual void read_into(std::uint64_t position, std::uint8_t* to, std::size_t bytes) const = 0;
};

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);
std::unique_ptr<ByteSource> bytes_in_memory(std::vector<std::uint8_t> bytes);

}  // namespace looptree::detail
