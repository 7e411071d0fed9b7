// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "looptree/index/core/beside.hpp"
#include "looptree/index/core/bits.hpp"

namespace looptree::detail {

/// Memory that a search hops over, in whole cache lines. Large pieces take whole huge pages where
/// the system has them: with small ones most hops would also miss the table of pages, and how much
/// that costs changes from run to run. What a piece takes, its size rounded up:
std::size_t huge_bytes(std::size_t bytes);
/// Throws std::bad_alloc. The memory is not zeroed.
void* allocate_huge(std::size_t bytes);
/// The same, zeroed. Large pieces are zeroed by the system, page by page when they are first
/// touched: whoever needs much room at once does not wait for all of it.
void* allocate_zeroed(std::size_t bytes);
/// Has the system find and zero such memory now, all of it: up to 5 ms for a huge page that the
/// machine, a virtual one, has to get itself.
void touch_zeroed(void* memory, std::size_t bytes);
/// With the bytes that were asked for.
void free_huge(void* memory, std::size_t bytes) noexcept;

template <typename T>
struct HugeAllocator {
  using value_type = T;

  HugeAllocator() = default;
  template <typename U>
  HugeAllocator(const HugeAllocator<U>&) {}  // NOLINT(google-explicit-constructor): a must

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_huge(n * sizeof(T))); }
  void deallocate(T* memory, std::size_t n) noexcept { free_huge(memory, n * sizeof(T)); }
  friend bool operator==(const HugeAllocator&, const HugeAllocator&) { return true; }
};

/// For tables that are made once: growing one would move it page by page.
template <typename T>
using HugeVector = std::vector<T, HugeAllocator<T>>;

/// A table of zeroes that costs next to nothing to make, however large; all bytes zero must be a
/// value of T.
template <typename T>
class ZeroedTable {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  explicit ZeroedTable(std::size_t size)
      : data_(static_cast<T*>(allocate_zeroed(size * sizeof(T))), Free{size * sizeof(T)}),
        size_(size) {}

  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return huge_bytes(size_ * sizeof(T)); }
  std::span<T> values() { return {data_.get(), size_}; }
  std::span<const T> values() const { return {data_.get(), size_}; }

 private:
  struct Free {
    std::size_t bytes;
    void operator()(T* data) const noexcept { free_huge(data, bytes); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_;
};

/// Zeroed memory in whole cache lines; empty by default.
class Lines {
 public:
  Lines() = default;

  std::uint8_t* data() { return data_.get(); }
  const std::uint8_t* data() const { return data_.get(); }
  std::uint8_t* line(std::size_t i) { return data() + i * kLine; }
  const std::uint8_t* line(std::size_t i) const { return data() + i * kLine; }
  bool empty() const { return data_ == nullptr; }
  std::size_t bytes() const { return bytes_; }
  /// For somebody who wants to keep them in another form.
  const std::shared_ptr<std::uint8_t>& owner() const { return data_; }

 private:
  friend class LinePool;
  Lines(std::shared_ptr<std::uint8_t> data, std::size_t bytes)
      : data_(std::move(data)), bytes_(bytes) {}

  std::shared_ptr<std::uint8_t> data_;  // shares the pool's chunk
  std::size_t bytes_ = 0;
};

/// Hands out lines from chunks that grow to 4 MiB. A search hops over lines, so chunks ask for huge
/// pages: with small ones most hops would also miss the table of pages. A chunk is freed with the
/// last of its lines. Once half of a chunk is used the next one is made beside whoever uses it.
class LinePool {
 public:
  LinePool() = default;
  /// Has a first chunk of so many lines, touched already.
  explicit LinePool(std::size_t lines);

  Lines allocate(std::size_t lines);
  /// Lines with this in them.
  Lines copy(const std::uint8_t* from, std::size_t lines);
  /// What the newest chunk has left, and the next one.
  std::size_t unused_bytes() const {
    return chunk_.size - used_ + (next_.look() != nullptr ? next_.look()->size : 0);
  }

 private:
  struct Chunk {
    std::shared_ptr<std::uint8_t> data;
    std::size_t size = 0;
  };

  static Chunk make_chunk(std::size_t bytes);
  static Chunk make_touched_chunk(std::size_t bytes);
  Lines take(std::size_t bytes);
  std::size_t next_size(std::size_t bytes) const;

  Chunk chunk_;
  std::size_t used_ = 0;
  Beside<Chunk> next_;
};

}  // namespace looptree::detail
