// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace looptree::detail {

inline std::uint32_t get_u16(const std::uint8_t* in) {
  return in[0] | std::uint32_t{in[1]} << 8;
}
inline std::uint32_t get_u32(const std::uint8_t* in) {
  return get_u16(in) | get_u16(in + 2) << 16;
}

/// A gap is two bytes, which count the words passed over; 65535 says that the gap follows in four.
inline constexpr std::uint32_t kLongGap = 0xFFFF;

/// Ascending words as gaps. A gap is added to one more than the word before; the first is a word.
struct GapList {
  const std::uint8_t* gaps;
  std::uint32_t words;
};

/// The gap at `at`, which moves behind it. No branch depends on the data but the one for rare long
/// gaps, since one that is mispredicted costs as much as ten words.
inline std::uint32_t next_gap(const std::uint8_t*& at) {
  const std::uint32_t gap = get_u16(at);
  at += 2;
  if (gap != kLongGap) [[likely]]
    return gap;
  at += 4;
  return get_u32(at - 4);
}

/// Bits that words are looked up in, by their lowest bits.
inline constexpr std::uint32_t kGapBits = 1u << 17;
/// 1 if the bit of the word is set, else 0.
inline std::uint64_t bit_of(const std::uint64_t* bits, std::uint32_t word) {
  return bits[word % kGapBits / 64] >> (word % 64) & 1;
}
/// Numbers that words_in() may overwrite behind the last word.
inline constexpr std::size_t kGapSlack = 16;

/// Writes the words of the list whose bit is set to `words`, which has room for all of them and
/// kGapSlack more; returns how many. The same on every machine.
std::size_t words_in(const GapList& list, const std::uint64_t* bits, std::uint32_t* words);

}  // namespace looptree::detail
