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

/// The words of a frame as a map keeps them; docs/formats/map.md draws the bytes.
///
/// Words and weights are those of the index, so nothing is rounded on the way. `word_weights` is
/// what one occurrence of each word weighs (MapVocabulary::word_weights; empty: 1 for every word).
/// Where it gives back every weight of the frame to the bit, from how often the words occur and one
/// factor, that is what is written: less than a byte a word at 10,000 words. Any other histogram is
/// written weight by weight, about 4.5 bytes a word, and does not need `word_weights` again. The
/// frame's id goes into the checksum: words that strayed into another frame's row are found out.
LOOPTREE_STORE_EXPORT std::vector<std::uint8_t> encode_words(
    const FixedHistogram& histogram, FrameId frame, std::span<const double> word_weights = {});

/// `word_weights` are those the words were written with; others are found out. Throws
/// Error(corruption), and says what is wrong, for anything encode_words() did not write. Never
/// takes more memory than some fifty times the bytes given. Whether the words lie within the
/// vocabulary is for the index to say.
LOOPTREE_STORE_EXPORT FixedHistogram decode_words(std::span<const std::uint8_t> blob, FrameId frame,
                                                  std::span<const double> word_weights = {});

}  // namespace looptree
