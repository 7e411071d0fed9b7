// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "looptree/histogram/fixed_point.hpp"

namespace looptree::detail {

/// The memory of one query. A query leases a workspace from its start to its end, so a query that
/// begins inside another one (a filter that asks a second index) gets a workspace of its own.
///
/// What a query gave back is kept for the next one, which wants the same again: the system's
/// allocator would take longer than a search of a thousand frames.
class Workspace {
 public:
  Workspace() = default;
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Uninitialised memory, to be given back with the same size. Pieces above 128 KiB are not kept.
  void* take(std::size_t bytes);
  void give(void* memory, std::size_t bytes) noexcept;

  /// A bit per word of the query, by the word's lowest bits; all zero between queries.
  std::vector<std::uint64_t> query_bits;
  /// The query's weights by word, good where the word's bit is set.
  std::vector<FixedWeight> query_weights;
  /// A sum, or a count, per slot of the frames that are searched.
  std::vector<std::uint16_t> sums;

  /// Room for so many numbers, whose values are lost with the next call.
  std::uint32_t* numbers(std::size_t count) {
    if (numbers_.size() < count) numbers_.resize(count);
    return numbers_.data();
  }

 private:
  static constexpr std::size_t kSmallest = 1024;
  static constexpr std::size_t kLargest = std::size_t{128} << 10;
  static constexpr std::size_t kSizes = std::bit_width(kLargest / kSmallest);
  static constexpr std::size_t kKept = 8;

  struct Pieces {
    std::array<void*, kKept> memory;
    std::size_t count = 0;
  };

  /// The least power of two, in kSmallest, that so many bytes fit into, as its logarithm.
  static std::size_t size_class(std::size_t bytes);

  std::array<Pieces, kSizes> pieces_;  // sizes are powers of two, from kSmallest on
  std::vector<std::uint32_t> numbers_;
};

/// A workspace out of the process's pool of them; it goes back when the lease ends. Safe from any
/// thread. The pool holds as many as were ever leased at once.
class WorkspaceLease {
 public:
  WorkspaceLease();
  ~WorkspaceLease();
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;

  Workspace& operator*() const { return *workspace_; }

 private:
  std::unique_ptr<Workspace> workspace_;
};

template <typename T>
class ScratchAllocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;

  explicit ScratchAllocator(Workspace& workspace) : workspace_(&workspace) {}
  template <typename U>
  ScratchAllocator(const ScratchAllocator<U>& other)  // NOLINT(google-explicit-constructor): a must
      : workspace_(&other.workspace()) {}

  T* allocate(std::size_t n) { return static_cast<T*>(workspace_->take(n * sizeof(T))); }
  void deallocate(T* memory, std::size_t n) noexcept { workspace_->give(memory, n * sizeof(T)); }
  /// An element that is given no value is left uninitialised.
  template <typename U, typename... Args>
  void construct(U* at, Args&&... args) {
    if constexpr (sizeof...(Args) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
  }
  Workspace& workspace() const { return *workspace_; }
  friend bool operator==(const ScratchAllocator& a, const ScratchAllocator& b) {
    return a.workspace_ == b.workspace_;
  }

 private:
  Workspace* workspace_;
};

/// An array that ends before the lease of its workspace does. Its elements are uninitialised unless
/// a value is given: `ScratchVector<int> v(n, ScratchAllocator<int>(workspace))`.
template <typename T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

template <typename T>
ScratchVector<T> scratch(Workspace& workspace, std::size_t size = 0) {
  return ScratchVector<T>(size, ScratchAllocator<T>(workspace));
}

}  // namespace looptree::detail
