// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/detail/writer_lock.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "looptree/common/error.hpp"

namespace looptree::detail {
namespace {

std::string system_message() {
  return std::generic_category().message(errno);
}

std::string this_process() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return "process " + std::to_string(getpid()) + " on " + host.data();
}

std::string holder(int file) {
  std::array<char, 300> text{};
  const ssize_t size = pread(file, text.data(), text.size() - 1, 0);
  // Between its lock and its name the holder is unnamed for a moment.
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "another process";
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& map) : path_(map) {
  path_ += "-lock";
  for (;;) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0) {
      throw Error(
          ErrorKind::io,
          path_.string() + ": expected to make the lock of the map, found: " + system_message());
    }
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const bool held = errno == EWOULDBLOCK;
      const std::string found = held ? holder(file_) : system_message();
      ::close(file_);
      throw Error(ErrorKind::io, map.string() + ": expected no other writer, found " + found +
                                     (held ? "; end it, or open the map for reading" : ""));
    }
    if (still_in_place()) break;
    ::close(file_);  // its last holder took the file away before we locked it
  }
  const std::string name = this_process();
  // Only a courtesy to others: without it the lock holds all the same.
  if (ftruncate(file_, 0) == 0) (void)!pwrite(file_, name.data(), name.size(), 0);
}

WriterLock::~WriterLock() {
  // While it is still locked, so that nobody can hold a lock on a file that is no longer there.
  ::unlink(path_.c_str());
  ::close(file_);
}

bool WriterLock::still_in_place() const {
  struct stat ours {};
  struct stat there {};
  return fstat(file_, &ours) == 0 && stat(path_.c_str(), &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

void sync_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;  // a folder that may be written but not read; nothing more can be done
  const bool synced = fsync(opened) == 0 || errno == EINVAL;
  ::close(opened);
  if (!synced) {
    throw Error(ErrorKind::io, folder.string() + ": expected to write the folder to disk, found: " +
                                   system_message());
  }
}

}  // namespace looptree::detail
