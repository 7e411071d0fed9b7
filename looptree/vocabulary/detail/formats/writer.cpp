// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/detail/formats/writer.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <unistd.h>
#include <zlib.h>

#include "looptree/common/write_error.hpp"

namespace looptree::detail {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw write_error(path, std::generic_category().message(errno != 0 ? errno : EIO));
}

}  // namespace

struct Writer::Output {
  std::FILE* plain = nullptr;
  gzFile compressed = nullptr;
};

Writer::Writer(const std::filesystem::path& path, bool compress, ProgressCallback progress,
               std::size_t steps)
    : path_(path),
      temporary_(path.string() + ".part" + std::to_string(getpid())),
      progress_(std::move(progress)),
      steps_(steps),
      output_(std::make_unique<Output>()) {
  errno = 0;
  if (compress) {
    output_->compressed = gzopen(temporary_.c_str(), "wb6");
  } else {
    output_->plain = std::fopen(temporary_.c_str(), "wb");
  }
  if (output_->plain == nullptr && output_->compressed == nullptr) fail(path_);
}

Writer::~Writer() {
  const bool committed = output_->plain == nullptr && output_->compressed == nullptr;
  if (committed) return;
  if (output_->plain != nullptr) std::fclose(output_->plain);
  if (output_->compressed != nullptr) gzclose(output_->compressed);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void Writer::flush() {
  if (buffer_.empty()) return;
  errno = 0;
  const bool written =
      output_->plain != nullptr
          ? std::fwrite(buffer_.data(), 1, buffer_.size(), output_->plain) == buffer_.size()
          : gzwrite(output_->compressed, buffer_.data(), static_cast<unsigned>(buffer_.size())) > 0;
  if (!written) fail(path_);
  buffer_.clear();
}

void Writer::close() {
  errno = 0;
  std::FILE* plain = std::exchange(output_->plain, nullptr);
  gzFile compressed = std::exchange(output_->compressed, nullptr);
  const bool closed = plain != nullptr ? std::fclose(plain) == 0 : gzclose(compressed) == Z_OK;
  if (closed) return;
  const int reason = errno;
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
  errno = reason;
  fail(path_);
}

void Writer::commit() {
  flush();
  report(progress_, steps_, steps_);
  close();
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
    throw write_error(path_, error.message());
  }
}

}  // namespace looptree::detail
