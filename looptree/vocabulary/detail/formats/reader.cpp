// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/vocabulary/detail/formats/reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <zlib.h>

namespace looptree::detail {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18U;
constexpr std::size_t kMaxLine = std::size_t{1} << 22U;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class FileSource final : public ByteSource {
 public:
  FileSource(const std::filesystem::path& path, ProgressCallback progress)
      : name_(path.string()), progress_(std::move(progress)) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      throw Error(ErrorKind::io, "expected a file, found the folder " + name_);
    }
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) fail("open", errno == ENOENT ? ErrorKind::not_found : ErrorKind::io);
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // the reader buffers
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (!error) size_ = size;
  }

  std::size_t read(std::span<char> into) override {
    const std::size_t got = std::fread(into.data(), 1, into.size(), file_.get());
    if (std::ferror(file_.get()) != 0) fail("read", ErrorKind::io);
    done_ += got;
    report(progress_, done_, std::max<std::size_t>(done_, size_.value_or(0)));
    return got;
  }
  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  [[noreturn]] void fail(const char* what, ErrorKind kind) const {
    throw Error(kind, std::string("cannot ") + what + " " + name_ + ": " +
                          std::generic_category().message(errno));
  }

  std::string name_;
  ProgressCallback progress_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::optional<std::uint64_t> size_;
  std::size_t done_ = 0;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes), size_(bytes.size()) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size());
    if (count != 0) std::memcpy(into.data(), bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return count;
  }
  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t size_;
};

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> compressed)
      : compressed_(std::move(compressed)), input_(kBufferBytes / 4) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) {
      throw Error(ErrorKind::io, "cannot start zlib");
    }
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> into) override {
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(into.size());
    while (stream_.avail_out != 0 && step()) {
    }
    return into.size() - stream_.avail_out;
  }

 private:
  /// Inflates a little further; false at the end.
  bool step() {
    if (stream_.avail_in == 0) {
      stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
      stream_.avail_in = static_cast<uInt>(compressed_->read(input_));
      if (stream_.avail_in == 0) {
        if (between_members_) return false;
        throw Error(ErrorKind::corruption, "expected more compressed data, found the end of file");
      }
    }
    if (between_members_ && started_) {
      if (*stream_.next_in != 0x1f) return false;  // padding behind the last member
      inflateReset(&stream_);
    }
    started_ = true;
    between_members_ = false;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status != Z_OK) {
      throw Error(ErrorKind::corruption, std::string("expected valid gzip data, found: ") +
                                             (stream_.msg != nullptr ? stream_.msg : "damage"));
    }
    return true;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::vector<char> input_;
  z_stream stream_ = {};
  bool started_ = false;
  bool between_members_ = true;
};

/// What another reader had already taken from a source, then the rest.
class ResumedSource final : public ByteSource {
 public:
  ResumedSource(std::vector<char> front, std::unique_ptr<ByteSource> rest)
      : front_(std::move(front)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), front_.size() - used_);
    std::copy_n(front_.begin() + static_cast<std::ptrdiff_t>(used_), count, into.begin());
    used_ += count;
    return count == into.size() ? count : count + rest_->read(into.subspan(count));
  }
  std::optional<std::uint64_t> size() const override { return rest_->size(); }

 private:
  std::vector<char> front_;
  std::size_t used_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

}  // namespace

std::unique_ptr<ByteSource> file_source(const std::filesystem::path& path,
                                        ProgressCallback progress) {
  return std::make_unique<FileSource>(path, std::move(progress));
}

std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(bytes);
}

std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<GzipSource>(std::move(compressed));
}

Reader::Reader(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)),
      buffer_(std::clamp<std::size_t>(source_->size().value_or(kBufferBytes), 1, kBufferBytes)) {}

/// Sees to it that `wanted` bytes are buffered; false if the input ends before.
bool Reader::fill(std::size_t wanted) {
  if (end_ - position_ >= wanted) return true;
  if (finished_) return false;
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(position_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  dropped_ += position_;
  end_ -= position_;
  position_ = 0;
  if (wanted > buffer_.size()) buffer_.resize(std::max(wanted, 2 * buffer_.size()));
  const std::size_t space = buffer_.size() - end_;
  const std::size_t got = source_->read({buffer_.data() + end_, space});
  finished_ = got < space;
  end_ += got;
  return end_ >= wanted;
}

std::string_view Reader::peek(std::size_t count) {
  fill(count);
  return {buffer_.data() + position_, std::min(count, end_ - position_)};
}

std::string_view Reader::take(std::size_t count) {
  if (!fill(count)) {
    throw Error(ErrorKind::corruption, "expected " + std::to_string(count) + " more bytes at " +
                                           std::to_string(offset()) + ", found the end of file");
  }
  const std::string_view result(buffer_.data() + position_, count);
  position_ += count;
  return result;
}

std::optional<std::string_view> Reader::line() {
  std::size_t searched = 0;
  for (;;) {
    const char* start = buffer_.data() + position_;
    const std::size_t available = end_ - position_;
    const void* found =
        available == searched ? nullptr : std::memchr(start + searched, '\n', available - searched);
    if (found != nullptr) {
      const std::string_view result(start, static_cast<const char*>(found) - start);
      position_ += result.size() + 1;
      return result;
    }
    searched = available;
    if (available > kMaxLine) {
      throw Error(ErrorKind::corruption, "expected lines, found none within " +
                                             std::to_string(kMaxLine) + " bytes at " +
                                             std::to_string(offset()));
    }
    if (!fill(available + 1)) break;
  }
  if (position_ == end_) return std::nullopt;
  const std::string_view result(buffer_.data() + position_, end_ - position_);
  position_ = end_;
  return result;
}

std::optional<std::uint64_t> Reader::remaining() const {
  const std::optional<std::uint64_t> size = source_->size();
  if (!size) return std::nullopt;
  return *size - std::min(*size, offset());
}

void Reader::expect_remaining(std::uint64_t bytes, std::string_view what) const {
  const std::optional<std::uint64_t> left = remaining();
  if (left && *left < bytes) {
    throw Error(ErrorKind::corruption, "expected " + std::to_string(bytes) + " bytes of " +
                                           std::string(what) + ", found " + std::to_string(*left));
  }
}

std::unique_ptr<ByteSource> Reader::release() {
  std::vector<char> front(buffer_.begin() + static_cast<std::ptrdiff_t>(position_),
                          buffer_.begin() + static_cast<std::ptrdiff_t>(end_));
  return std::make_unique<ResumedSource>(std::move(front), std::move(source_));
}

}  // namespace looptree::detail
