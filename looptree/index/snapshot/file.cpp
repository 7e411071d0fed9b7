// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/snapshot/file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "looptree/common/checksum.hpp"
#include "looptree/common/error.hpp"
#include "looptree/common/parallel.hpp"
#include "looptree/index/snapshot/piece.hpp"

static_assert(std::endian::native == std::endian::little,
              "snapshots are memory as it is; on other machines they need another version");

namespace looptree::detail {
namespace {

constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kChunk = std::size_t{4} << 20;  ///< of the body, per checksum

/// The first page, byte by byte; the rest of it is zero but for its checksum at the end.
struct Page {
  std::array<char, 8> magic = {'L', 'T', 'R', 'E', 's', 'n', 'a', 'p'};
  std::uint32_t version = kVersion;
  std::uint32_t vocabulary_size = 0;
  std::uint64_t weights_hash = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t body_end = 0;  ///< then the checksums of its chunks
  std::uint64_t checksums_hash = 0;
  std::uint64_t directory = 0;
  std::uint32_t tag_bytes = 0;
  std::uint32_t reserved = 0;
  std::array<std::byte, kMostTag> tag{};
  std::array<std::byte, kSnapshotPage - 64 - kMostTag - 8> zero{};
  std::uint64_t checksum = 0;

  std::uint64_t right_checksum() const {
    return looptree::checksum({reinterpret_cast<const std::byte*>(this), kSnapshotPage - 8});
  }
};
static_assert(sizeof(Page) == kSnapshotPage && std::is_trivially_copyable_v<Page>);

[[noreturn]] void refuse(const std::filesystem::path& path, const char* what) {
  throw Error(ErrorKind::io, path.string() + ": expected to " + what +
                                 " a snapshot, found: " + std::generic_category().message(errno));
}

[[noreturn]] void damaged(const std::filesystem::path& path, const char* what) {
  throw Error(ErrorKind::corruption, path.string() + ": expected a snapshot of an index with " +
                                         what + ", found otherwise");
}

std::uint64_t chunks_of(std::uint64_t body_end) {
  return (body_end - kSnapshotPage + kChunk - 1) / kChunk;
}

Page check_page(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Page)) damaged(path, "a whole first page");
  Page page;
  std::memcpy(&page, bytes.data(), sizeof(Page));
  if (page.magic != Page{}.magic) damaged(path, "the name of the format at its start");
  if (page.version != kVersion) {
    throw Error(ErrorKind::unsupported, path.string() + ": expected a snapshot of version " +
                                            std::to_string(kVersion) + ", found " +
                                            std::to_string(page.version));
  }
  if (page.checksum != page.right_checksum()) damaged(path, "its first page as it was written");
  if (page.tag_bytes > kMostTag) damaged(path, "a tag that fits");
  return page;
}

SnapshotHead to_head(const Page& page) {
  return {page.vocabulary_size,
          page.weights_hash,
          page.directory,
          {page.tag.begin(), page.tag.begin() + page.tag_bytes}};
}

/// Room for the body and the checksums, where the page says they are.
void check_places(const std::filesystem::path& path, const Page& page, std::uint64_t size) {
  const bool fits = page.file_bytes == size && page.body_end >= kSnapshotPage &&
                    page.body_end <= size && page.body_end % kSnapshotAlignment == 0 &&
                    size - page.body_end == chunks_of(page.body_end) * sizeof(std::uint64_t) &&
                    page.directory >= kSnapshotPage && page.directory <= page.body_end &&
                    page.directory % kSnapshotAlignment == 0;
  if (!fits) damaged(path, "the length that its first page says");
}

}  // namespace

SnapshotFileWriter::SnapshotFileWriter(std::filesystem::path path)
    : path_(std::move(path)), temporary_(path_) {
  temporary_ += ".new";
  file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) refuse(temporary_, "write");
  chunk_.reserve(kChunk);
}

SnapshotFileWriter::~SnapshotFileWriter() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

std::uint64_t SnapshotFileWriter::append(std::span<const std::byte> bytes) {
  constexpr std::array<std::byte, kSnapshotAlignment> kZero{};
  add(std::span(kZero).first((kSnapshotAlignment - chunk_.size() % kSnapshotAlignment) %
                             kSnapshotAlignment));
  const std::uint64_t start = written_ + chunk_.size();
  add(bytes);
  return start;
}

void SnapshotFileWriter::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), kChunk - chunk_.size());
    chunk_.insert(chunk_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(part));
    bytes = bytes.subspan(part);
    if (chunk_.size() == kChunk) write_chunk();
  }
}

void SnapshotFileWriter::write_chunk() {
  checksums_.push_back(looptree::checksum(chunk_));
  write(chunk_, written_);
  written_ += chunk_.size();
  chunk_.clear();
}

void SnapshotFileWriter::write(std::span<const std::byte> bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) refuse(temporary_, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    at += static_cast<std::uint64_t>(count);
  }
}

void SnapshotFileWriter::finish(const SnapshotHead& head) {
  append({});
  if (!chunk_.empty()) write_chunk();
  const auto checksums = std::as_bytes(std::span(checksums_));
  Page page;
  page.vocabulary_size = head.vocabulary_size;
  page.weights_hash = head.weights_hash;
  page.directory = head.directory;
  page.body_end = written_;
  page.file_bytes = written_ + checksums.size();
  page.checksums_hash = looptree::checksum(checksums);
  page.tag_bytes = static_cast<std::uint32_t>(head.tag.size());
  std::copy(head.tag.begin(), head.tag.end(), page.tag.begin());
  page.checksum = page.right_checksum();
  write(checksums, written_);
  write(std::as_bytes(std::span(&page, 1)), 0);
  // Not synced: a file that a power failure cut short is found out by its checksums.
  ::close(std::exchange(file_, -1));
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (!error) return;
  ::unlink(temporary_.c_str());
  errno = error.value();
  refuse(path_, "replace");
}

SnapshotHead read_snapshot_head(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw Error(ErrorKind::not_found, path.string() + ": expected a snapshot, found no file");
  }
  std::vector<char> bytes(kSnapshotPage);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return to_head(check_page(path, std::as_bytes(std::span(bytes))));
}

SnapshotFile open_snapshot_file(const std::filesystem::path& path, std::size_t threads) {
  SnapshotFile result;
  result.file = std::make_shared<MappedFile>(path, MappedFile::Mode::copy_on_write);
  const std::span<const std::byte> bytes = result.file->bytes();
  const Page page = check_page(path, bytes);
  check_places(path, page, bytes.size());
  madvise(result.file->writable().data(), bytes.size(), MADV_WILLNEED);
  const auto checksums = bytes.subspan(page.body_end);
  if (looptree::checksum(checksums) != page.checksums_hash) {
    damaged(path, "the checksums that were written");
  }
  std::atomic<bool> right = true;
  parallel_for(chunks_of(page.body_end), threads, [&](std::size_t i) {
    const std::uint64_t first = kSnapshotPage + i * kChunk;
    const std::uint64_t size = std::min<std::uint64_t>(kChunk, page.body_end - first);
    std::uint64_t expected = 0;
    std::memcpy(&expected, checksums.data() + i * sizeof(expected), sizeof(expected));
    if (right && looptree::checksum(bytes.subspan(first, size)) != expected) right = false;
  });
  if (!right) damaged(path, "every byte as it was written");
  result.head = to_head(page);
  result.body_end = page.body_end;
  return result;
}

}  // namespace looptree::detail
