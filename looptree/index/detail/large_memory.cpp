// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/large_memory.hpp"

#include <cstdint>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "looptree/index/detail/row_plan.hpp"

namespace looptree::detail {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Worth a huge page: more than a quarter of it would be used, or more than one.
bool is_large(std::size_t bytes) {
  return bytes > kHugePage / 4;
}

#ifdef __linux__
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
void* map_pages(std::size_t bytes) {
  return ::operator new (bytes, std::align_val_t{kHugePage});
}

void unmap_pages(void* memory, std::size_t) noexcept {
  ::operator delete (memory, std::align_val_t{kHugePage});
}
#endif

}  // namespace

std::size_t large_bytes(std::size_t bytes) {
  return is_large(bytes) ? (bytes + kHugePage - 1) / kHugePage * kHugePage : bytes;
}

void* allocate_large(std::size_t bytes) {
  if (is_large(bytes)) return map_pages(large_bytes(bytes));
  return ::operator new (bytes, std::align_val_t{kLine});
}

void free_large(void* memory, std::size_t bytes) noexcept {
  if (is_large(bytes)) {
    unmap_pages(memory, large_bytes(bytes));
  } else {
    ::operator delete (memory, std::align_val_t{kLine});
  }
}

}  // namespace looptree::detail
