// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Lets a test watch what its thread allocates, or make it fail. Replaces operator new and delete of
// the whole program: to be included by one source file of it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace looptree::test {

/// Called with the size of every allocation of this thread; may throw std::bad_alloc instead of it.
inline thread_local void (*on_allocation)(std::size_t bytes) = nullptr;

namespace allocations {

[[gnu::noinline]] inline void* allocate(std::size_t bytes, std::size_t alignment) {
  if (on_allocation != nullptr) on_allocation(bytes);
  void* memory = alignment == 0 ? std::malloc(bytes)  // NOLINT(cppcoreguidelines-no-malloc)
                                : std::aligned_alloc(
                                      alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// Not inlined: the compiler would see memory of operator new freed by something else than delete.
[[gnu::noinline]] inline void release(void* memory) noexcept {
  std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
}

}  // namespace allocations
}  // namespace looptree::test

void* operator new(std::size_t bytes) {
  return looptree::test::allocations::allocate(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return looptree::test::allocations::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  looptree::test::allocations::release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  looptree::test::allocations::release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  looptree::test::allocations::release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  looptree::test::allocations::release(memory);
}
