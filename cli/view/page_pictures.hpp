// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <set>
#include <vector>

#include "looptree/common/progress.hpp"
#include "looptree/dataset/sequence.hpp"

namespace looptree::cli {

/// How wide the pictures of a page are, in pixels, never wider than the image; 0: none.
struct PictureWidths {
  int frame = 0;  ///< of every frame
  int pair = 0;   ///< of the frames of closures, where they are looked at
};

/// Widths that keep a page small: what is given, and else 320 and 640, or less so that the pictures
/// take about 45 MB.
PictureWidths picture_widths(const Image& image, std::size_t frames, std::size_t pair_frames,
                             std::optional<int> frame, std::optional<int> pair);

/// An image made narrower, and encoded as WebP. At least one pixel high; never wider than it is.
std::vector<std::uint8_t> encode_picture(const Image& image, int width);

/// Writes the pictures of a sequence as the page finds them: script elements of a type that
/// browsers leave alone, each with a run of lines "FRAME BASE64". `set` tells those of one sequence
/// from another's. Images that cannot be read are left out; returns how many. Reads every image
/// once, in order.
std::size_t write_pictures(std::ostream& page, Sequence& sequence, int set,
                           const PictureWidths& widths, const std::set<std::size_t>& pair_frames,
                           const ProgressCallback& progress);

}  // namespace looptree::cli
