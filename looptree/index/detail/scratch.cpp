// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/index/detail/scratch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace looptree::detail {
namespace {

constexpr std::size_t kSmallest = 1024;
constexpr std::size_t kLargest = std::size_t{128} << 10;
constexpr std::size_t kSizes = std::bit_width(kLargest / kSmallest);
constexpr std::size_t kKept = 8;

/// Sizes are powers of two, from kSmallest on.
constexpr std::size_t size_class(std::size_t bytes) {
  return static_cast<std::size_t>(std::bit_width((std::max(bytes, kSmallest) - 1) / kSmallest));
}

class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    for (Pieces& pieces : sizes_) {
      while (pieces.count > 0) ::operator delete(pieces.memory[--pieces.count]);
    }
  }

  void* take(std::size_t size) {
    Pieces& pieces = sizes_[size];
    return pieces.count > 0 ? pieces.memory[--pieces.count] : ::operator new(kSmallest << size);
  }
  void give(std::size_t size, void* memory) noexcept {
    Pieces& pieces = sizes_[size];
    if (pieces.count == kKept) return ::operator delete(memory);
    pieces.memory[pieces.count++] = memory;
  }

 private:
  struct Pieces {
    std::array<void*, kKept> memory;
    std::size_t count = 0;
  };
  std::array<Pieces, kSizes> sizes_;
};

Kept& kept() {
  thread_local Kept kept;
  return kept;
}

}  // namespace

void* allocate_scratch(std::size_t bytes) {
  const std::size_t size = size_class(bytes);
  return size < kSizes ? kept().take(size) : ::operator new(bytes);
}

void free_scratch(void* memory, std::size_t bytes) noexcept {
  const std::size_t size = size_class(bytes);
  size < kSizes ? kept().give(size, memory) : ::operator delete(memory);
}

}  // namespace looptree::detail
