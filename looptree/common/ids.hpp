// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>

namespace looptree {

/// Identifiers are distinct types, so that a word is never taken for a frame. Each wraps one
/// 32-bit number, costs what that number costs, and orders as it does.

/// A leaf of a vocabulary, in [0, number of words).
struct WordId {
  std::uint32_t value = 0;
  constexpr WordId() = default;
  constexpr explicit WordId(std::uint32_t v) : value(v) {}
  friend constexpr auto operator<=>(WordId, WordId) = default;
};

/// An image or keyframe of a route; dense, in order of insertion, never used twice before clear().
struct FrameId {
  std::uint32_t value = 0;
  constexpr FrameId() = default;
  constexpr explicit FrameId(std::uint32_t v) : value(v) {}
  friend constexpr auto operator<=>(FrameId, FrameId) = default;
};

/// One map, run or robot among those that share an index; chosen by the caller.
struct SessionId {
  std::uint32_t value = 0;
  constexpr SessionId() = default;
  constexpr explicit SessionId(std::uint32_t v) : value(v) {}
  friend constexpr auto operator<=>(SessionId, SessionId) = default;
};

}  // namespace looptree
