// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "looptree/store/detail/bytes.hpp"

namespace looptree::detail {

/// Appends numbers of any number of bits to bytes, low bits first.
class BitWriter {
 public:
  explicit BitWriter(ByteWriter& bytes) : bytes_(bytes) {}

  /// The low `count` bits of `value`, at most 32, the others of which are 0.
  void bits(std::uint32_t value, int count) {
    waiting_ |= std::uint64_t{value} << filled_;
    filled_ += count;
    for (; filled_ >= 8; filled_ -= 8, waiting_ >>= 8) {
      bytes_.byte(static_cast<std::uint8_t>(waiting_));
    }
  }
  /// So many zeros, and a one.
  void unary(std::uint32_t zeros) {
    for (; zeros >= 32; zeros -= 32) bits(0, 32);
    bits(std::uint32_t{1} << zeros, static_cast<int>(zeros) + 1);
  }
  /// Fills the last byte with zeros.
  void finish() {
    if (filled_ > 0) bits(0, 8 - filled_);
  }

 private:
  ByteWriter& bytes_;
  std::uint64_t waiting_ = 0;
  int filled_ = 0;
};

/// Reads them back from all that a reader has left. Throws as the reader does.
class BitReader {
 public:
  explicit BitReader(ByteReader& bytes) : bytes_(bytes), rest_(bytes.raw(bytes.left())) {}

  std::uint32_t bits(int count) {
    fill(count);
    const std::uint64_t value = waiting_ & ((std::uint64_t{1} << count) - 1);
    drop(count);
    return static_cast<std::uint32_t>(value);
  }
  std::uint64_t unary() {
    std::uint64_t zeros = 0;
    for (;;) {
      fill(1);
      const int run = std::min(std::countr_zero(waiting_), filled_);
      zeros += static_cast<std::uint64_t>(run);
      if (run < filled_) {
        drop(run + 1);
        return zeros;
      }
      drop(run);
    }
  }
  /// Less than a byte is left, and zero.
  void expect_end() const {
    if (!rest_.empty() || filled_ >= 8 || waiting_ != 0) bytes_.fail("bits too many");
  }

 private:
  /// Makes at least `count` bits wait, at most 32.
  void fill(int count) {
    if (filled_ >= count) return;
    // Never all 64, which no shift takes away at once.
    for (; filled_ <= 48 && !rest_.empty(); filled_ += 8) {
      waiting_ |= std::uint64_t{rest_[0]} << filled_;
      rest_ = rest_.subspan(1);
    }
    if (filled_ < count) bytes_.fail("an early end");
  }
  void drop(int count) {
    waiting_ >>= count;
    filled_ -= count;
  }

  ByteReader& bytes_;
  ByteView rest_;
  std::uint64_t waiting_ = 0;
  int filled_ = 0;
};

}  // namespace looptree::detail
