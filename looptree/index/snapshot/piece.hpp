// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace looptree::detail {

/// Arrays in a snapshot start on such a boundary, so that they can be used where they lie.
inline constexpr std::size_t kSnapshotAlignment = 64;

/// A part of a snapshot on its way to the file. Starts on a boundary there.
class SnapshotPiece {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    append(&value, sizeof(T));
  }
  template <typename T>
  void put_array(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    align();
    append(values.data(), values.size_bytes());
  }
  void align() {
    bytes_.resize((bytes_.size() + kSnapshotAlignment - 1) / kSnapshotAlignment *
                  kSnapshotAlignment);
  }
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads pieces back. Whatever would leave the bytes throws Error(corruption).
class SnapshotSource {
 public:
  /// `bytes` start on a boundary; `owner` keeps them.
  SnapshotSource(std::span<std::byte> bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}

  template <typename T>
  T get() {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  /// Where it lies; what is written there stays in this process.
  template <typename T>
  std::span<T> get_array(std::uint64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    align();
    expect(count <= (bytes_.size() - at_) / sizeof(T), "an array that ends inside the file");
    return {reinterpret_cast<T*>(take(count * sizeof(T))), static_cast<std::size_t>(count)};
  }
  /// To the start of the next piece.
  void align();
  bool at_end() const { return at_ == bytes_.size(); }
  const std::shared_ptr<const void>& owner() const { return owner_; }

  /// Throws Error(corruption) that says what was expected, unless it holds.
  static void expect(bool holds, const char* what) {
    if (!holds) fail(what);
  }
  [[noreturn]] static void fail(const std::string& what);

 private:
  std::byte* take(std::size_t size);

  std::span<std::byte> bytes_;
  std::size_t at_ = 0;
  std::shared_ptr<const void> owner_;
};

}  // namespace looptree::detail
