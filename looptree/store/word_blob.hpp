// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "looptree/common/ids.hpp"
#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/store_export.hpp"

namespace looptree {

/// The words of a frame as a map keeps them; docs/formats/map.md draws the bytes. About 4.5 bytes
/// per word.
///
/// Words and weights are those of the index, so nothing is rounded on the way. The frame's id goes
/// into the checksum: words that strayed into another frame's row are found out.
LOOPTREE_STORE_EXPORT std::vector<std::uint8_t> encode_words(const FixedHistogram& histogram,
                                                             FrameId frame);

/// Throws Error(corruption), and says what is wrong, for anything encode_words() did not write.
/// Never takes more memory than some ten times the bytes given. Whether the words lie within the
/// vocabulary is for the index to say.
LOOPTREE_STORE_EXPORT FixedHistogram decode_words(std::span<const std::uint8_t> blob,
                                                  FrameId frame);

}  // namespace looptree
