// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/features/image.hpp"

namespace looptree::detail {

/// The two pixels between which one of a smaller image lies, and how near it is to the second, in
/// 256ths, as cv::resize with INTER_LINEAR_EXACT has it.
struct Between {
  int first;      ///< the second is the next
  int to_second;  ///< 0 to 256
};
Between between_pixels(int at, int from_length, int to_length);

/// An image of another size, pixel for pixel as cv::resize makes it with INTER_LINEAR_EXACT: the
/// slow, obvious version of Shrink.
Image resized(const Image& from, int width, int height);

}  // namespace looptree::detail
