// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/histogram/fixed_histogram.hpp"
#include "looptree/index/common_words.hpp"
#include "looptree/index/core/filter.hpp"
#include "looptree/index/frames/frame_layer.hpp"

namespace looptree::detail {

/// Counts the words that each stored frame shares with the query, from rows and posting lists, and
/// keeps the frames with enough of them.
CommonWords common_words(const FrameLayer& frames, const FixedView& query,
                         const FrameFilter& filter, const CommonWordsOptions& options);

/// How many words more than which are enough, if the best frame has `most`.
std::uint32_t common_cut(std::uint32_t most, const CommonWordsOptions& options);

}  // namespace looptree::detail
