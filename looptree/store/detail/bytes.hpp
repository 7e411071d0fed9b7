// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace looptree::detail {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// XXH3, 64 bits. The seed keeps apart what must not be taken for each other.
std::uint64_t hash_bytes(ByteView bytes, std::uint64_t seed);

/// Appends numbers, little-endian, to bytes.
class ByteWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(value); }
  void varint(std::uint64_t value);  ///< 7 bits per byte, low ones first, high bit: more follow
  void u16(std::uint16_t value) { fixed(value, 2); }
  void u32(std::uint32_t value) { fixed(value, 4); }
  void u64(std::uint64_t value) { fixed(value, 8); }
  void f32(float value) { u32(std::bit_cast<std::uint32_t>(value)); }
  void f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }
  void raw(ByteView bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void text(std::string_view text);  ///< its length, then its bytes
  /// Appends the hash of everything so far, which a Sealed reader expects.
  void seal(std::uint64_t seed) { u64(hash_bytes(bytes_, seed)); }

  ByteView view() const { return bytes_; }
  Bytes take() { return std::move(bytes_); }

 private:
  void fixed(std::uint64_t value, int bytes);

  Bytes bytes_;
};

/// Reads them back. Every read past the end, and every varint that is too long, throws
/// Error(corruption) that begins with `what`.
class ByteReader {
 public:
  ByteReader(ByteView bytes, std::string what) : rest_(bytes), what_(std::move(what)) {}

  /// Over what lies before the hash at the end, which must be right.
  static ByteReader sealed(ByteView bytes, std::uint64_t seed, std::string what);

  std::uint8_t byte();
  std::uint64_t varint();
  std::uint16_t u16() { return static_cast<std::uint16_t>(fixed(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  std::uint64_t u64() { return fixed(8); }
  float f32() { return std::bit_cast<float>(u32()); }
  double f64() { return std::bit_cast<double>(u64()); }
  ByteView raw(std::size_t count);

  std::size_t left() const { return rest_.size(); }
  /// A count of things that take at least `bytes_each` of what is left.
  std::size_t count(std::size_t bytes_each);
  void expect_end() const;
  [[noreturn]] void fail(const std::string& found) const;

 private:
  std::uint64_t fixed(std::size_t bytes);

  ByteView rest_;
  std::string what_;
};

/// Sealed bytes under another seed. Throws as ByteReader::sealed() does.
Bytes reseal(ByteView sealed, std::uint64_t seed, std::uint64_t new_seed, std::string what);

/// The hash at the end of sealed bytes; 0 for bytes too short to have one.
std::uint64_t seal_of(ByteView sealed);

}  // namespace looptree::detail
