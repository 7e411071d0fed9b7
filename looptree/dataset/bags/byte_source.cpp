// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/dataset/bags/detail/byte_source.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(const std::filesystem::path& path)
      : name_(path.string()), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (file_ < 0 || fstat(file_, &status) != 0) {
      const std::string why = std::strerror(errno);
      if (file_ >= 0) close(file_);
      throw Error(ErrorKind::not_found, "expected a bag at " + name_ + ", found: " + why);
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~FileBytes() override { close(file_); }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::uint64_t size() const override { return size_; }
  const std::string& name() const override { return name_; }

 private:
  void read_into(std::uint64_t position, std::uint8_t* to, std::size_t bytes) const override {
    while (bytes > 0) {
      const ssize_t got = pread(file_, to, bytes, static_cast<off_t>(position));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw Error(ErrorKind::io, "expected to read " + name_ + ", could not");
      position += static_cast<std::uint64_t>(got);
      to += got;
      bytes -= static_cast<std::size_t>(got);
    }
  }

  std::string name_;
  int file_;
  std::uint64_t size_ = 0;
};

class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  const std::string& name() const override { return name_; }

 private:
  void read_into(std::uint64_t position, std::uint8_t* to, std::size_t bytes) const override {
    if (bytes > 0) std::memcpy(to, bytes_.data() + position, bytes);
  }

  std::vector<std::uint8_t> bytes_;
  std::string name_ = "a bag in memory";
};

}  // namespace

std::vector<std::uint8_t> ByteSource::read(std::uint64_t position, std::uint64_t bytes) const {
  if (position > size() || bytes > size() - position) {
    throw Error(ErrorKind::corruption,
                "expected " + std::to_string(bytes) + " bytes at " + std::to_string(position) +
                    " in " + name() + ", found that it ends after " + std::to_string(size()) +
                    ": it was cut off (\"rosbag reindex\" or \"mcap recover\" may save the rest)");
  }
  std::vector<std::uint8_t> result(static_cast<std::size_t>(bytes));
  read_into(position, result.data(), result.size());
  return result;
}

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path) {
  return std::make_unique<FileBytes>(path);
}

std::unique_ptr<ByteSource> bytes_in_memory(std::vector<std::uint8_t> bytes) {
  return std::make_unique<MemoryBytes>(std::move(bytes));
}

}  // namespace looptree::detail
