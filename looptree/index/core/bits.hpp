// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace looptree::detail {

/// Frames side by side in one block, and so bits in one row.
inline constexpr std::uint32_t kBlockFrames = 512;
/// Bytes of a row: a cache line.
inline constexpr std::uint32_t kLine = kBlockFrames / 8;

/// One bit per frame of a block.
struct FrameBits {
  std::array<std::uint64_t, kBlockFrames / 64> words{};

  bool test(std::uint32_t position) const {
    return (words[position / 64] >> (position % 64) & 1) != 0;
  }
  void set(std::uint32_t position) { words[position / 64] |= std::uint64_t{1} << (position % 64); }
  void reset(std::uint32_t position) {
    words[position / 64] &= ~(std::uint64_t{1} << (position % 64));
  }
  std::uint32_t count() const {
    std::uint32_t count = 0;
    for (const std::uint64_t word : words) count += static_cast<std::uint32_t>(std::popcount(word));
    return count;
  }
};

/// Bits [first, last) of a block.
inline FrameBits range_bits(std::uint32_t first, std::uint32_t last) {
  FrameBits bits;
  for (std::uint32_t word = 0; word < bits.words.size(); ++word) {
    const std::uint32_t begin = word * 64;
    if (last <= begin || first >= begin + 64) continue;
    std::uint64_t value = ~std::uint64_t{0};
    if (first > begin) value &= ~std::uint64_t{0} << (first - begin);
    if (last < begin + 64) value &= ~std::uint64_t{0} >> (begin + 64 - last);
    bits.words[word] = value;
  }
  return bits;
}

inline FrameBits operator&(FrameBits a, const FrameBits& b) {
  for (std::size_t i = 0; i < a.words.size(); ++i) a.words[i] &= b.words[i];
  return a;
}

/// Visits the positions of the bits that are set, in ascending order.
template <typename Visit>
void for_each_bit(const FrameBits& bits, Visit visit) {
  for (std::uint32_t word = 0; word < bits.words.size(); ++word) {
    for (std::uint64_t left = bits.words[word]; left != 0; left &= left - 1) {
      visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  }
}

}  // namespace looptree::detail
