// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "looptree/common/progress.hpp"

namespace looptree::detail {

/// A file that appears under its name only once it is complete: it is written beside it and renamed
/// by commit(). Without commit() nothing stays behind.
class Writer {
 public:
  Writer(const std::filesystem::path& path, bool compress, ProgressCallback progress,
         std::size_t steps);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void text(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= kFlushBytes) flush();
  }
  void bytes(std::span<const std::byte> bytes) {
    text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  template <typename T>
  void value(const T& value) {
    bytes(std::as_bytes(std::span(&value, 1)));
  }
  /// The shortest decimal that reads back as the same number.
  template <typename T>
  void number(T value) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  /// One of the steps announced at the start is done.
  void step() {
    if ((++done_ & 0xfffU) == 0) report(progress_, done_, steps_);
  }

  void commit();

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{1} << 18U;

  void flush();
  void close();

  struct Output;
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  ProgressCallback progress_;
  std::size_t steps_;
  std::size_t done_ = 0;
  std::string buffer_;
  std::unique_ptr<Output> output_;
};

}  // namespace looptree::detail
