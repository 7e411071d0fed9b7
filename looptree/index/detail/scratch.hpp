// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace looptree::detail {

/// Memory for one query: pieces that are given back are kept for the thread's next query, which
/// wants the same again. The system's allocator would take longer for them than the query for a
/// thousand frames. A thread keeps a few pieces of each size, a megabyte or two in all, and none of
/// the largest.
void* allocate_scratch(std::size_t bytes);
/// With the bytes that were asked for, on any thread.
void free_scratch(void* memory, std::size_t bytes) noexcept;

template <typename T>
struct ScratchAllocator {
  using value_type = T;

  ScratchAllocator() = default;
  template <typename U>
  ScratchAllocator(const ScratchAllocator<U>&) {}  // NOLINT(google-explicit-constructor): a must

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_scratch(n * sizeof(T))); }
  void deallocate(T* memory, std::size_t n) noexcept { free_scratch(memory, n * sizeof(T)); }
  /// Without a value, none is written.
  template <typename U, typename... Args>
  void construct(U* at, Args&&... args) {
    if constexpr (sizeof...(Args) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
  }
  friend bool operator==(const ScratchAllocator&, const ScratchAllocator&) { return true; }
};

/// Not for what outlives a query. Elements are not zeroed unless that is asked for.
template <typename T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

}  // namespace looptree::detail
