// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace looptree::detail {

/// The lines of a text file, plain or in gzip, however long they are.
class GzipLines {
 public:
  /// Throws Error(not_found) or Error(io) if the file does not open.
  explicit GzipLines(const std::filesystem::path& path);
  ~GzipLines();
  GzipLines(const GzipLines&) = delete;
  GzipLines& operator=(const GzipLines&) = delete;

  /// Whether there was another line; text() is then that line without its end, until the next call.
  /// Throws Error(corruption) for a damaged or truncated stream, or a last line without its end.
  bool next();
  std::string_view text() const { return text_; }
  std::size_t number() const { return number_; }  ///< of the line, from 1
  std::size_t offset() const;                     ///< bytes of the file read so far

 private:
  bool fill();

  std::filesystem::path path_;
  void* file_ = nullptr;  // a gzFile
  std::string buffer_;
  std::size_t begin_ = 0;
  std::string_view text_;
  std::size_t number_ = 0;
};

}  // namespace looptree::detail
