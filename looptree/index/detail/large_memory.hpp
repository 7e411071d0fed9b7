// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace looptree::detail {

/// Memory that a search hops over, in whole cache lines. Large pieces take whole huge pages where
/// the system has them: with small ones most hops would also miss the table of pages, and how much
/// that costs changes from run to run. What a piece takes, its size rounded up:
std::size_t large_bytes(std::size_t bytes);
/// Throws std::bad_alloc. The memory is not zeroed.
void* allocate_large(std::size_t bytes);
/// With the bytes that were asked for.
void free_large(void* memory, std::size_t bytes) noexcept;

template <typename T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <typename U>
  LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT(google-explicit-constructor): a must

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_large(n * sizeof(T))); }
  void deallocate(T* memory, std::size_t n) noexcept { free_large(memory, n * sizeof(T)); }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

/// For tables that are made once: growing one would move it page by page.
template <typename T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace looptree::detail
