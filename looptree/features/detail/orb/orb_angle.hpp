// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

namespace looptree::detail {

/// The direction of an intensity centroid, in degrees [0, 360), by the polynomial that OpenCV uses
/// (off by at most 0.3 degrees). Sums and products one by one in IEEE arithmetic, so the same on
/// every machine; OpenCV itself fuses some of them on some machines, and differs in the last bits.
float centroid_angle(int moment_y, int moment_x);

struct Rotation {
  float cosine;
  float sine;
};

/// Cosine and sine of an angle in degrees [0, 360], correct but for rounding to float: from series
/// of our own, since the C libraries of different machines do not agree in the last bit.
Rotation rotation_of(float degrees);

}  // namespace looptree::detail
