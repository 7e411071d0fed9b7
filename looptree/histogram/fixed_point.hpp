// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace looptree {

/// Weights inside an index are whole multiples of 2^-31.
///
/// A sum of them is exact in any order, so one answer, to the bit, comes out of every SIMD width,
/// thread count and storage layout. A step is 4.7e-10, below what a float resolves at the weights
/// real images have. The weights of an L1-normalised histogram add up to 2^31 give or take one half
/// per word, so any intersection fits 32 bits with room to spare.
using FixedWeight = std::uint32_t;

inline constexpr FixedWeight kFixedOne = FixedWeight{1} << 31;

/// The nearest multiple; `weight` lies in [0, 1], up to rounding.
inline FixedWeight to_fixed(double weight) {
  return static_cast<FixedWeight>(std::min(weight, 1.0) * kFixedOne + 0.5);
}

/// The score a sum of fixed-point minima stands for; at most 1.
inline double from_fixed(FixedWeight sum) {
  return static_cast<double>(std::min(sum, kFixedOne)) / kFixedOne;
}

/// The smallest sum whose score is at least `threshold`, which lies in [0, 1].
inline FixedWeight fixed_threshold(double threshold) {
  return static_cast<FixedWeight>(std::ceil(threshold * kFixedOne));
}

/// Whether the weights of a histogram with this sum count as normalised: within 0.001.
inline bool sums_to_one(std::uint64_t sum) {
  constexpr std::uint64_t kTolerance = kFixedOne / 1000;
  return sum + kTolerance >= kFixedOne && sum <= kFixedOne + kTolerance;
}

}  // namespace looptree
