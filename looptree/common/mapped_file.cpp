// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/common/mapped_file.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const char* what) {
  const ErrorKind kind = errno == ENOENT ? ErrorKind::not_found : ErrorKind::io;
  throw Error(kind, std::string("cannot ") + what + " " + path.string() + ": " +
                        std::generic_category().message(errno));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path, Mode mode) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(path, "open");
  struct stat status = {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    throw Error(ErrorKind::io, "expected " + path.string() + " to be a file that can be mapped");
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ != 0) {
    const bool copying = mode == Mode::copy_on_write;
    void* memory = mmap(nullptr, size_, copying ? PROT_READ | PROT_WRITE : PROT_READ,
                        copying ? MAP_PRIVATE | MAP_NORESERVE : MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
      close(file);
      refuse(path, "map");
    }
    data_ = static_cast<std::byte*>(memory);
  }
  close(file);
}

MappedFile::~MappedFile() {
  if (size_ != 0) munmap(data_, size_);
}

}  // namespace looptree
