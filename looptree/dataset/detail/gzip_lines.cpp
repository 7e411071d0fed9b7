// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/detail/gzip_lines.hpp"

#include <zlib.h>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

constexpr unsigned kChunk = 1u << 18;
/// A line of a sane file is far shorter; a stream of zeros should not fill the memory.
constexpr std::size_t kLongestLine = std::size_t{1} << 28;

gzFile handle(void* file) {
  return static_cast<gzFile>(file);
}

}  // namespace

GzipLines::GzipLines(const std::filesystem::path& path) : path_(path) {
  if (!std::filesystem::exists(path)) {
    throw Error(ErrorKind::not_found, "expected a file, found no " + path.string());
  }
  require(!std::filesystem::is_directory(path), ErrorKind::io,
          "expected a file, found the folder " + path.string());
  file_ = gzopen(path.c_str(), "rb");
  if (file_ == nullptr) {
    throw Error(ErrorKind::io, "expected to read " + path.string() + ", found no way to open it");
  }
  gzbuffer(handle(file_), kChunk);
}

GzipLines::~GzipLines() {
  gzclose(handle(file_));
}

std::size_t GzipLines::offset() const {
  const auto at = gzoffset(handle(file_));
  return at < 0 ? 0 : static_cast<std::size_t>(at);
}

bool GzipLines::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t kept = buffer_.size();
  require(kept < kLongestLine, ErrorKind::corruption,
          "expected lines of text, found one of more than 256 MB in " + path_.string());
  buffer_.resize(kept + kChunk);
  const int got = gzread(handle(file_), buffer_.data() + kept, kChunk);
  buffer_.resize(kept + static_cast<std::size_t>(got > 0 ? got : 0));
  // A truncated stream shows only here: it ends like any other, but with a status.
  int status = Z_OK;
  const char* message = gzerror(handle(file_), &status);
  if (got < 0 || (got == 0 && status != Z_OK && status != Z_STREAM_END)) {
    throw Error(status == Z_ERRNO ? ErrorKind::io : ErrorKind::corruption,
                "expected a whole text or gzip file, found " + path_.string() +
                    " damaged or cut short after line " + std::to_string(number_) + " (" + message +
                    ")");
  }
  return got > 0;
}

bool GzipLines::next() {
  std::size_t end = buffer_.find('\n', begin_);
  while (end == std::string::npos) {
    const std::size_t searched = buffer_.size() - begin_;
    if (!fill()) break;
    end = buffer_.find('\n', searched);
  }
  if (end == std::string::npos) {
    require(begin_ == buffer_.size(), ErrorKind::corruption,
            "expected the last line of " + path_.string() +
                " to end like the others, found it cut short");
    return false;
  }
  text_ = std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = end + 1;
  ++number_;
  return true;
}

}  // namespace looptree::detail
