// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "looptree/features/image_view.hpp"

namespace looptree::detail {

/// The direction of the intensity centroid of the disk around (x, y), in degrees; the pixel is at
/// least 31 from the border.
float orientation(const ImageView& image, int x, int y);

/// The 32 bytes of ORB's descriptor of (x, y), in an image that is blurred already.
void describe(const ImageView& blurred, int x, int y, float angle, std::uint8_t* bytes);

}  // namespace looptree::detail
