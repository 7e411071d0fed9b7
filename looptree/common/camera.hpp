// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "looptree/common/pose.hpp"
#include "looptree/export.hpp"

namespace looptree {

/// Throws Error(invalid_argument) and repeats the number unless the focal lengths are above 0 and
/// everything is finite.
LOOPTREE_EXPORT void check(const Calibration& calibration);

/// Where a pinhole with the same focal lengths and centre would show what the lens shows at
/// `pixel`. Found by iteration, to a millionth of a pixel. A pixel that the model cannot explain,
/// as it may be in the corners of a coarse calibration, stays where it is; what a fisheye sees 85
/// degrees off its axis and more is taken as 85 degrees off, since no pinhole shows it.
LOOPTREE_EXPORT std::array<double, 2> undistort(const Calibration& calibration,
                                                const std::array<double, 2>& pixel);
/// The way back: where the lens shows what a pinhole would show at `pixel`.
LOOPTREE_EXPORT std::array<double, 2> distort(const Calibration& calibration,
                                              const std::array<double, 2>& pixel);

/// "pinhole", "brown-conrady", "fisheye".
LOOPTREE_EXPORT std::string_view to_string(LensModel lens);
/// Throws Error(invalid_argument) and lists the three for any other.
LOOPTREE_EXPORT LensModel parse_lens_model(std::string_view name);

}  // namespace looptree
