// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/features/features.hpp"
#include "looptree/store_export.hpp"

namespace looptree {

/// Keypoints and descriptors of a frame as a map keeps them; docs/formats/map.md draws the bytes.
///
/// A feature takes its descriptor (32 bytes for ORB), 4 bytes of position, and 2 more where the
/// features come with inverse depths. Descriptors come back to the bit, and so do the positions of
/// ORB (features/level_position.hpp); others to the nearest multiple of 2^-f pixels, f the largest
/// number up to 8 that leaves the image room in 16 bits (1/32 of a pixel for images up to 2047
/// pixels wide); inverse depths to 11 bits (IEEE binary16).
/// Size, angle, response and octave come back only if `with_details` is set, which takes 16 bytes a
/// feature; otherwise as a Keypoint has them by default. Features that do not lie within their
/// image (from -0.5 to width - 0.5, to height - 0.5) are kept as they are, to the bit, at 24 bytes
/// and a descriptor.
///
/// The frame's id goes into the checksum: features that strayed into another frame's row are found
/// out. Throws Error(invalid_argument) for features that check() refuses.
LOOPTREE_STORE_EXPORT std::vector<std::uint8_t> encode_features(const Features& features,
                                                                FrameId frame,
                                                                bool with_details = false);

/// Throws Error(corruption), and says what is wrong, for anything encode_features() did not write.
/// Never takes more memory than some ten times the bytes given.
LOOPTREE_STORE_EXPORT Features decode_features(std::span<const std::uint8_t> blob, FrameId frame);

}  // namespace looptree
