// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/core/huge_pages.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace looptree::detail {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Worth a huge page: more than a quarter of it would be used, or more than one.
bool is_huge(std::size_t bytes) {
  return bytes > kHugePage / 4;
}

#ifdef __linux__
constexpr bool kMapsZeroes = true;

/// From the system, not from the heap: what was used before, in small pages, stays in small pages.
void* map_pages(std::size_t bytes) {
  const std::size_t more = bytes + kHugePage;
  void* all = mmap(nullptr, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  auto* const start = static_cast<std::uint8_t*>(all);
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(start) % kHugePage) % kHugePage;
  if (before > 0) munmap(start, before);
  munmap(start + before + bytes, kHugePage - before);
  madvise(start + before, bytes, MADV_HUGEPAGE);
  return start + before;
}

void unmap_pages(void* memory, std::size_t bytes) noexcept {
  munmap(memory, bytes);
}
#else
constexpr bool kMapsZeroes = false;

void* map_pages(std::size_t bytes) {
  return ::operator new (bytes, std::align_val_t{kHugePage});
}

void unmap_pages(void* memory, std::size_t) noexcept {
  ::operator delete (memory, std::align_val_t{kHugePage});
}
#endif

constexpr std::size_t kMostChunk = std::size_t{4} << 20;

}  // namespace

std::size_t huge_bytes(std::size_t bytes) {
  return is_huge(bytes) ? (bytes + kHugePage - 1) / kHugePage * kHugePage : bytes;
}

void* allocate_huge(std::size_t bytes) {
  if (is_huge(bytes)) return map_pages(huge_bytes(bytes));
  return ::operator new (bytes, std::align_val_t{kLine});
}

void* allocate_zeroed(std::size_t bytes) {
  void* const memory = allocate_huge(bytes);
  if (!is_huge(bytes) || !kMapsZeroes) std::memset(memory, 0, bytes);
  return memory;
}

void touch_zeroed(void* memory, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  auto* const data = static_cast<volatile std::uint8_t*>(memory);
  for (std::size_t at = 0; at < bytes; at += kPage) data[at] = 0;
}

void free_huge(void* memory, std::size_t bytes) noexcept {
  if (is_huge(bytes)) {
    unmap_pages(memory, huge_bytes(bytes));
  } else {
    ::operator delete (memory, std::align_val_t{kLine});
  }
}

LinePool::LinePool(std::size_t lines) : chunk_(make_touched_chunk(huge_bytes(lines * kLine))) {}

LinePool::Chunk LinePool::make_chunk(std::size_t bytes) {
  return {{static_cast<std::uint8_t*>(allocate_zeroed(bytes)),
           [bytes](std::uint8_t* data) { free_huge(data, bytes); }},
          bytes};
}

LinePool::Chunk LinePool::make_touched_chunk(std::size_t bytes) {
  Chunk chunk = make_chunk(bytes);
  touch_zeroed(chunk.data.get(), bytes);
  return chunk;
}

Lines LinePool::allocate(std::size_t lines) {
  return take(lines * kLine);  // a chunk is zeroed, and never handed out twice
}

Lines LinePool::copy(const std::uint8_t* from, std::size_t lines) {
  Lines taken = take(lines * kLine);
  std::memcpy(taken.data(), from, taken.bytes());
  return taken;
}

/// The first chunk holds one allocation, or two if that fills a huge page better; later ones are
/// twice as large each time.
std::size_t LinePool::next_size(std::size_t bytes) const {
  return huge_bytes(std::max(bytes, std::min(2 * chunk_.size, kMostChunk)));
}

Lines LinePool::take(std::size_t bytes) {
  if (used_ + bytes > chunk_.size) {
    const std::unique_ptr<Chunk> next = next_.take();
    // May fail: nothing has changed before.
    chunk_ = next && next->size >= bytes ? *next : make_chunk(next_size(bytes));
    used_ = 0;
  }
  std::uint8_t* data = chunk_.data.get() + used_;
  used_ += bytes;
  if (const std::size_t size = next_size(bytes); is_huge(size) && 2 * used_ > chunk_.size) {
    if (!next_.asked()) next_.ask([size] { return make_touched_chunk(size); });
  }
  return {std::shared_ptr<std::uint8_t>(chunk_.data, data), bytes};
}

}  // namespace looptree::detail
