// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "tests/store/faulty_vfs.hpp"

#include <cstring>
#include <stdexcept>

#include <sqlite3.h>

namespace looptree::test {
namespace {

/// Not synchronised: a test that uses it has one thread.
struct State {
  Fault fault = Fault::none;
  std::size_t countdown = 0;  // writes until it strikes
  bool stays = false;
  bool struck = false;
};

State state;
sqlite3_vfs faulty;
sqlite3_vfs* real = nullptr;

/// A file of ours; SQLite gives us memory for it with the real one's behind.
struct File {
  sqlite3_file base;
  sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* inner(sqlite3_file* file) {
  return reinterpret_cast<File*>(file)->inner();
}

bool strikes(bool sync) {
  if (state.fault == Fault::none || sync != (state.fault == Fault::sync_error)) return false;
  if (state.struck) return state.stays;
  if (--state.countdown > 0) return false;
  state.struck = true;
  return true;
}

int close_file(sqlite3_file* file) {
  return inner(file)->pMethods->xClose(inner(file));
}
int read_file(sqlite3_file* file, void* into, int bytes, sqlite3_int64 offset) {
  return inner(file)->pMethods->xRead(inner(file), into, bytes, offset);
}
int write_file(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 offset) {
  const auto* methods = inner(file)->pMethods;
  if (!strikes(false)) return methods->xWrite(inner(file), from, bytes, offset);
  if (state.fault != Fault::write_error) methods->xWrite(inner(file), from, bytes / 2, offset);
  return state.fault == Fault::disk_full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return inner(file)->pMethods->xTruncate(inner(file), size);
}
int sync_file(sqlite3_file*, int) {
  return strikes(true) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return inner(file)->pMethods->xFileSize(inner(file), size);
}
int lock_file(sqlite3_file* file, int level) {
  return inner(file)->pMethods->xLock(inner(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
  return inner(file)->pMethods->xUnlock(inner(file), level);
}
int check_lock(sqlite3_file* file, int* held) {
  return inner(file)->pMethods->xCheckReservedLock(inner(file), held);
}
int control(sqlite3_file* file, int operation, void* argument) {
  return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}
int sector_size(sqlite3_file* file) {
  return inner(file)->pMethods->xSectorSize(inner(file));
}
int characteristics(sqlite3_file* file) {
  return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  return inner(file)->pMethods->xShmMap(inner(file), page, size, extend, memory);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}
void barrier(sqlite3_file* file) {
  inner(file)->pMethods->xShmBarrier(inner(file));
}
int unmap_shared(sqlite3_file* file, int remove) {
  return inner(file)->pMethods->xShmUnmap(inner(file), remove);
}

constexpr sqlite3_io_methods kMethods = {
    2,           close_file,  read_file,    write_file, truncate_file, sync_file,       file_size,
    lock_file,   unlock_file, check_lock,   control,    sector_size,   characteristics, map_shared,
    lock_shared, barrier,     unmap_shared, nullptr,    nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
  std::memset(file, 0, sizeof(File));
  const int code = real->xOpen(real, name, inner(file), flags, out);
  if (inner(file)->pMethods != nullptr) file->pMethods = &kMethods;
  return code;
}

}  // namespace

void FaultyVfs::install() {
  if (real != nullptr) return;
  real = sqlite3_vfs_find(nullptr);
  faulty = *real;
  faulty.pNext = nullptr;
  faulty.zName = "faulty";
  faulty.szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
  faulty.xOpen = open_file;
  if (sqlite3_vfs_register(&faulty, 1) != SQLITE_OK) throw std::runtime_error("no VFS");
}

void FaultyVfs::fail_at(Fault fault, std::size_t n, bool stays) {
  state = {fault, n, stays, false};
}

void FaultyVfs::heal() {
  state = {};
}

bool FaultyVfs::struck() {
  return state.struck;
}

}  // namespace looptree::test
